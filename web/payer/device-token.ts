import { z } from 'zod'

export type DeviceTokenNeeds = {
  readonly newToken: () => { readonly token: string; readonly digest: string }
  /** SHA-256. */
  readonly digestOf: (text: string) => string
}

export const deviceTokenText = z
  .string()
  .regex(/^[\w-]{43}$/)
  .optional()
  .meta({
    description:
      'What an earlier sign-in has answered on this device. Wrong PINs of strangers do not keep ' +
      'such a device out.',
  })

export const deviceReply = z.string().meta({
  description: 'Keep it on the device, and send it with each sign-in.',
})

/** The device's token, or a new one, and its digest. */
export const makeDevice = (
  { newToken, digestOf }: DeviceTokenNeeds,
  given: string | undefined,
): { readonly token: string; readonly known: string } => {
  if (given !== undefined) return { token: given, known: digestOf(given) }
  const { token, digest } = newToken()
  return { token, known: digest }
}
