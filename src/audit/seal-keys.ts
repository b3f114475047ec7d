import { createHash, hkdfSync } from 'node:crypto'

/** A key of seals, with the name by which seals refer to it. */
export interface SealKey {
  name: string
  key: Uint8Array
}

/** Derives the key of seals from the installation's key. */
export function deriveSealKey(installationKey: Uint8Array): SealKey {
  return toSealKey(new Uint8Array(hkdfSync('sha256', installationKey, '', 'terrane audit seals', 32)))
}

/** Names a key by a digest that does not reveal it. */
function toSealKey(key: Uint8Array): SealKey {
  return { key, name: createHash('sha256').update('name').update(key).digest('hex').slice(0, 16) }
}
