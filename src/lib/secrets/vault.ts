import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts what must not lie in a database in clear, by AES-256-GCM under the key of the data directory. */
export interface Vault {
  seal(text: string): string
  /** Throws when the text was sealed under another key or altered. */
  open(sealed: string): string
}

/** `key` has 32 bytes. */
export function createVault(key: Uint8Array): Vault {
  return {
    seal: (text) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
