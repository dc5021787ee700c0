import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM. The nonce is derived from key and text: equal texts seal equally, so
 * repeats are recognised, and no nonce is used for two texts.
 */
export const seal = (key: Buffer, text: string): string => {
  const nonce = createHmac('sha256', key).update('nonce:').update(text).digest()
  const cipher = createCipheriv('aes-256-gcm', key, nonce.subarray(0, nonceBytes))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce.subarray(0, nonceBytes), cipher.getAuthTag(), sealed]).toString(
    'base64url',
  )
}

/** Undefined if the key is wrong or the text was altered. */
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
