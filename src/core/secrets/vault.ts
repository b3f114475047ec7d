import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Failure } from '../errors/errors.ts'

/** Encrypts secrets for storage in a database, by AES-256-GCM with the key of the data directory. */
export interface Vault {
  seal(text: string): string
  /**
   * Throws `Failure` (`unavailable`, `wrong-secret-key`) if the text was encrypted with another key or
   * altered; `what` names the secret in the message, `remedy` says how to store it again.
   */
  open(sealed: string, about?: SecretAbout): string
}

/** Names a secret in messages. */
interface SecretAbout {
  /** Default: `A stored password`. */
  what: string
  /** Default: `store the password again`. */
  remedy: string
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
    open: (sealed, about) => {
      try {
        return decrypt(key, sealed)
      } catch (error) {
        throw wrongKey(error, about)
      }
    },
  }
}

function decrypt(key: Uint8Array, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function wrongKey(
  cause: unknown,
  { what, remedy }: SecretAbout = { what: 'A stored password', remedy: 'store the password again' },
): Failure {
  const text = `${what} cannot be decrypted: the file "secret.key" in the data directory is not the key that it was stored with. Restore "secret.key" from the backup and restart the server, or ${remedy}`
  return new Failure('unavailable', 'wrong-secret-key', text, { cause, retryAfterSeconds: 300 })
}
