import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a text with AES-256-GCM. The nonce is derived from the text with the key, so that equal texts are sealed
 * equally (a repeated request is seen to be one) and a nonce never meets two texts.
 */
export const seal = (key: Buffer, text: string): string => {
  const nonce = createHmac('sha256', key).update('nonce:').update(text).digest()
  const cipher = createCipheriv('aes-256-gcm', key, nonce.subarray(0, nonceBytes))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce.subarray(0, nonceBytes), cipher.getAuthTag(), sealed]).toString(
    'base64url',
  )
}

/** The text that was sealed; undefined when the key is another or the text was tampered with. */
export const unseal = (key: Buffer, sealed: string): string | undefined => {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
