import { useEffect, useState } from 'preact/hooks'
import { call, callTagged } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import type { View } from '../../map/map-props.ts'
import type { LayerExtras, MapState } from '../../map/map-state.ts'

/** A saved map as the server describes it. */
export type SavedMap = Calls['GET /rest/maps/{map}']['answer']['map']

export const mapsPath = '/rest/maps'
export const mapPath = (name: string): string => `${mapsPath}/${encodeURIComponent(name)}`

/** A saved map with its state. */
export interface LoadedMap {
  map: SavedMap
  /** ETag of the state that was read. */
  tag: string | undefined
}

/** Loads the saved map of a name; nothing without a name. */
export function useSavedMap(name: string | null) {
  const [loaded, setLoaded] = useState<LoadedMap>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    setError(undefined)
    setLoaded(undefined)
    if (name === null) return undefined
    const asking = new AbortController()
    callTagged<{ map: SavedMap }>({ path: mapPath(name) }, asking.signal).then(
      ({ value, tag }) => setLoaded({ map: value.map, tag }),
      (reason: unknown) => {
        if (!asking.signal.aborted) setError(reason)
      },
    )
    return () => asking.abort()
  }, [name, tries])
  return { loaded: loaded?.map.name === name ? loaded : undefined, error, again: () => setTries(tries + 1) }
}

/** Returns the state of the page that shows a saved map. */
export function stateOf({ layers, view, background, legend }: SavedMap): MapState {
  return {
    layers: layers.map(({ name, visible = true, opacity = 1 }) => ({
      id: name,
      isHidden: !visible,
      opacity,
    })),
    view: view === null ? undefined : viewOf(view),
    hasBackground: background,
    hasLegend: legend,
  }
}

function viewOf({ center: [longitude = 0, latitude = 0], zoom }: NonNullable<SavedMap['view']>): View {
  return { longitude, latitude, zoom }
}

/** Returns styles, filters and groups of the layers of a saved map, by layer. */
export function extrasOf(map: SavedMap | undefined): ReadonlyMap<string, LayerExtras> {
  return new Map(
    (map?.layers ?? []).map(({ name, style, filter, group }) => [name, { style, filter, group }]),
  )
}

/** Returns the part of a request body that describes what the page shows. */
export function bodyOf(
  { layers, view, hasBackground, hasLegend }: MapState,
  extras: ReadonlyMap<string, LayerExtras>,
) {
  return {
    layers: layers.map(({ id, isHidden, opacity }) => ({
      name: id,
      opacity,
      visible: !isHidden,
      ...extras.get(id),
    })),
    view:
      view === undefined ? undefined : { center: [view.longitude, view.latitude] as const, zoom: view.zoom },
    background: hasBackground,
    legend: hasLegend,
  }
}

/** Deletes a saved map. */
export async function removeMap(name: string): Promise<void> {
  await call({ method: 'DELETE', path: mapPath(name) })
}
