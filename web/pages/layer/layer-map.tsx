import { useEffect, useMemo, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { whenReady } from '../../api/when-ready.ts'
import { boundsOf } from '../../lib/bounds.ts'
import { MapView } from '../../map/map-view.tsx'
import type { MapFeature } from '../../map/open-map.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import type { Filtered } from './filter/filtered-rows.ts'
import { requestedFilter } from './filter/requested-filter.ts'
import { type LayerView, lookedAt, type Row, requestedBox } from './layer-view.ts'

interface LayerMapProps {
  id: string
  bounds: readonly number[] | undefined
  /** Names of the columns. */
  columns: readonly string[]
  view: LayerView
  /** Filtered rows, if there is a filter. */
  filtered: Filtered | undefined
}

/** The layer in its style. What is chosen there is chosen in the table, and the other way round. */
export function LayerMap({ id, bounds, columns, view, filtered }: LayerMapProps) {
  const version = useReady(id, lookedAt())
  const row = view.chosen.value
  const filter = requestedFilter()
  const selected = useMemo(() => (row?.geometry == null ? [] : [row]), [row])
  const begin = useMemo(() => requestedBox(), [id])
  useGeometry(id, lookedAt(), view)
  const pick = (found: MapFeature | undefined): void => {
    const row = found && withId(found, columns)
    view.chosen.value = row
    if (row?.id !== undefined) void whole(id, row, version, view)
  }
  return (
    <section class="panel lay-map">
      <MapView
        label={layerTexts.value.map}
        layers={[id]}
        selected={selected}
        onPick={pick}
        onRest={(edges) => {
          view.inSight.value = edges
        }}
        version={version}
        rows={filtered?.rows ? filtered.rows : undefined}
        filter={filtered && !filtered.rows && filter !== undefined ? filter : undefined}
        bounds={bounds}
        begin={begin}
        show={row !== undefined && !('layer' in row) ? boundsOf(row.geometry) : undefined}
      />
    </section>
  )
}

const restMs = 60

/** Loads the geometry of a row selected in the table, if it stays selected for a moment. */
function useGeometry(id: string, version: number | undefined, view: LayerView): void {
  const row = view.chosen.value
  useEffect(() => {
    if (row?.id === undefined || row.isWhole || 'layer' in row) return undefined
    const asking = new AbortController()
    const ask = async (): Promise<void> => {
      // If it fails, the row is not highlighted on the map.
      const whole = await wholeRow(id, row, version, asking.signal).catch(() => undefined)
      if (whole !== undefined && view.chosen.peek() === row) view.chosen.value = { ...whole, isWhole: true }
    }
    const timer = setTimeout(() => void ask(), restMs)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [id, version, row])
}

/** Loads a row with all attributes. */
function wholeRow(id: string, row: Row, version: number | undefined, aborted?: AbortSignal): Promise<Row> {
  const path = `/ogc/collections/${encodeURIComponent(id)}/items/${encodeURIComponent(String(row.id))}`
  return call<Row>({ path, query: { version } }, aborted)
}

/** Returns the viewed version once its tiles are available. */
function useReady(id: string, version: number | undefined): number | undefined {
  const [ready, setReady] = useState<number>()
  useEffect(() => {
    if (version === undefined) return undefined
    const asking = new AbortController()
    const path = `/ogc/collections/${encodeURIComponent(id)}/items`
    const first = (): Promise<unknown> => call({ path, query: { limit: 1, version } }, asking.signal)
    // The table shows the reason.
    whenReady(first, asking.signal).then(
      () => setReady(version),
      () => undefined,
    )
    return () => asking.abort()
  }, [id, version])
  return version === ready ? version : undefined
}

/** Tiles hold an id that is not a number among the attributes, as `id` with a `_` more than any column. */
function withId(found: MapFeature, columns: readonly string[]): MapFeature {
  let name = 'id'
  while (columns.includes(name)) name = `_${name}`
  const text = found.properties[name]
  return found.id === undefined && typeof text === 'string' ? { ...found, id: text } : found
}

/** Tiles contain a part of a geometry, and may lack attributes: loads the complete feature. */
async function whole(id: string, found: Row, version: number | undefined, view: LayerView): Promise<void> {
  try {
    const row = await wholeRow(id, found, version)
    if (view.chosen.peek() === found) view.chosen.value = { ...row, layer: id } as Row
  } catch {
    // Keeps the values of the tile.
  }
}
