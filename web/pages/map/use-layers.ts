import { useEffect, useState } from 'preact/hooks'
import type { LayerExtras } from '../../map/map-state.ts'
import { askLayer, type Published } from './layer-styles.ts'

/** Layers of a map; undefined until each has loaded or failed. */
export interface KnownLayers {
  published: readonly Published[]
  failed: ReadonlyMap<string, unknown>
}

export function useLayers(
  ids: readonly string[],
  extras: ReadonlyMap<string, LayerExtras>,
): { known: KnownLayers | undefined; again(): void } {
  const [known, setKnown] = useState<KnownLayers>()
  const [tries, setTries] = useState(0)
  const requested = JSON.stringify([...ids].sort().map((id) => [id, extras.get(id)]))
  useEffect(() => {
    const asking = new AbortController()
    const failed = new Map<string, unknown>()
    const requestedItem = ids.map((id) =>
      askLayer(id, extras.get(id) ?? {}, asking.signal).catch((reason: unknown) => {
        failed.set(id, reason)
        return undefined
      }),
    )
    void Promise.all(requestedItem).then((all) => {
      if (!asking.signal.aborted) setKnown({ published: all.filter((one) => one !== undefined), failed })
    })
    return () => asking.abort()
  }, [requested, tries])
  return { known, again: () => setTries(tries + 1) }
}
