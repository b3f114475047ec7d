/** A version of a layer, as far as undoing reads it. */
export interface LayerVersion {
  version: number
  cause: string
  import: number | null
  restorable: boolean
}

/** Where undoing leads: to a version, or, where `to` is undefined, to no layer. `isRedo`: it brings the import back. */
export interface WayBack {
  to: number | undefined
  isRedo: boolean
}

/**
 * How what an import made of a layer is taken back or brought back; undefined where others changed the layer since. What
 * stands behind the import is one taking back after the other bringing back.
 */
export function wayBack(versions: readonly LayerVersion[], importId: number): WayBack | undefined {
  const isOwn = ({ import: by, cause }: LayerVersion): boolean => by === importId && cause === 'import'
  const at = versions.findIndex(isOwn)
  const made = versions[at]
  const since = versions.slice(0, Math.max(at, 0))
  if (made === undefined || !since.every(({ cause }) => cause === 'restore' || cause === 'delete'))
    return undefined
  if (since.length % 2 === 1) return made.restorable ? { to: made.version, isRedo: true } : undefined
  const previous = versions.slice(at).find((one) => !isOwn(one))
  if (previous === undefined) return { to: undefined, isRedo: false }
  return previous.restorable ? { to: previous.version, isRedo: false } : undefined
}
