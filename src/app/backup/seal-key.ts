import { randomBytes, scryptSync } from 'node:crypto'
import { createVault } from '../../core/secrets/vault.ts'

/** OWASP's parameters: about 0.1 s and 64 MiB for each try of a passphrase. */
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 }

interface SealedKey {
  kdf: 'scrypt'
  N: number
  r: number
  p: number
  salt: string
  /** AES-256-GCM, in base64. */
  sealed: string
}

/** Encrypts the key of the catalogue with a passphrase. Returns a JSON document. */
export function sealKey(key: Uint8Array, passphrase: string): string {
  const salt = randomBytes(16)
  const vault = createVault(scryptSync(passphrase, salt, 32, cost))
  const { N, r, p } = cost
  const sealed = vault.seal(Buffer.from(key).toString('hex'))
  const document: SealedKey = { kdf: 'scrypt', N, r, p, salt: salt.toString('hex'), sealed }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Returns the key as 64 hexadecimal digits. Throws an `Error` for another passphrase. */
export function openKey(document: string, passphrase: string): string {
  const { N, r, p, salt, sealed } = JSON.parse(document) as SealedKey
  const secret = scryptSync(passphrase, Buffer.from(salt, 'hex'), 32, { N, r, p, maxmem: cost.maxmem })
  try {
    return createVault(secret).open(sealed)
  } catch (error) {
    throw new Error('The passphrase is not the one that the key of the backup was encrypted with', {
      cause: error,
    })
  }
}
