import { useEffect, useMemo, useState } from 'preact/hooks'
import { boundsOf } from '../../lib/bounds.ts'
import { MapView } from '../../map/map-view.tsx'
import type { Found } from '../../map/open-map.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { call } from '../../wire/client.ts'
import { whenReady } from '../../wire/when-ready.ts'
import type { Filtered } from './filter/filtered-rows.ts'
import { wantedFilter } from './filter/wanted-filter.ts'
import { type LayerView, lookedAt, type Row, wantedBox } from './layer-view.ts'

interface LayerMapProps {
  id: string
  bounds: readonly number[] | undefined
  /** Names of the columns. */
  columns: readonly string[]
  view: LayerView
  /** What is shown, where that is not all. */
  filtered: Filtered | undefined
}

/** The layer in its style. What is chosen there is chosen in the table, and the other way round. */
export function LayerMap({ id, bounds, columns, view, filtered }: LayerMapProps) {
  const version = useReady(id, lookedAt())
  const row = view.chosen.value
  const filter = wantedFilter()
  const selected = useMemo(() => (row?.geometry == null ? [] : [row]), [row])
  const begin = useMemo(() => wantedBox(), [id])
  useGeometry(id, lookedAt(), view)
  const pick = (found: Found | undefined): void => {
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
        {...(version !== undefined && { version })}
        {...(filtered?.rows && { rows: filtered.rows })}
        {...(filtered && !filtered.rows && filter !== undefined && { filter })}
        {...(bounds && { bounds })}
        {...(begin && { begin })}
        {...(row !== undefined && !('layer' in row) && { show: boundsOf(row.geometry) })}
      />
    </section>
  )
}

const restMs = 60

/** Of a row that is chosen in the table the geometry follows, when the choice has stayed a moment. */
function useGeometry(id: string, version: number | undefined, view: LayerView): void {
  const row = view.chosen.value
  useEffect(() => {
    if (row?.id === undefined || row.isWhole || 'layer' in row) return undefined
    const asking = new AbortController()
    const ask = async (): Promise<void> => {
      // Where none comes the row is not marked on the map.
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

/** A row with all that the layer tells of it. */
function wholeRow(id: string, row: Row, version: number | undefined, aborted?: AbortSignal): Promise<Row> {
  const path = `/ogc/collections/${encodeURIComponent(id)}/items/${encodeURIComponent(String(row.id))}`
  return call<Row>({ path, query: { version } }, aborted)
}

/** The version that is looked at, as soon as there are tiles of it. */
function useReady(id: string, version: number | undefined): number | undefined {
  const [ready, setReady] = useState<number>()
  useEffect(() => {
    if (version === undefined) return undefined
    const asking = new AbortController()
    const path = `/ogc/collections/${encodeURIComponent(id)}/items`
    const first = (): Promise<unknown> => call({ path, query: { limit: 1, version } }, asking.signal)
    // The table says why there is none.
    whenReady(first, asking.signal).then(
      () => setReady(version),
      () => undefined,
    )
    return () => asking.abort()
  }, [id, version])
  return version === ready ? version : undefined
}

/** Tiles hold an id that is no number among the attributes, as `id` with a `_` more than any column. */
function withId(found: Found, columns: readonly string[]): Found {
  let name = 'id'
  while (columns.includes(name)) name = `_${name}`
  const text = found.properties[name]
  return found.id === undefined && typeof text === 'string' ? { ...found, id: text } : found
}

/** Tiles have a part of a shape, and may lack columns: the whole of it follows. */
async function whole(id: string, found: Row, version: number | undefined, view: LayerView): Promise<void> {
  try {
    const row = await wholeRow(id, found, version)
    if (view.chosen.peek() === found) view.chosen.value = { ...row, layer: id } as Row
  } catch {
    // What the tile tells stays.
  }
}
