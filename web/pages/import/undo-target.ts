/** A version of a layer, as far as undoing reads it. */
export interface LayerVersion {
  version: number
  cause: string
  import: number | null
  restorable: boolean
}

/** Target of undoing: a version, or no layer if `to` is undefined. `isRedo`: restores the import. */
export interface UndoTarget {
  to: number | undefined
  isRedo: boolean
}

/**
 * Returns how an import's change of a layer can be undone or redone; undefined if the layer was changed since
 * by others. Versions after the import alternate between undo and redo.
 */
export function wayBack(versions: readonly LayerVersion[], importId: number): UndoTarget | undefined {
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
