import { useEffect, useMemo } from 'preact/hooks'
import { call, Refusal } from '../../api/client.ts'
import { whenReady } from '../../api/when-ready.ts'
import { Failed, Loading } from '../../components/states.tsx'
import { fullAddressOf } from '../../lib/base.ts'
import { boundsOf } from '../../lib/bounds.ts'
import { Resource } from '../../lib/resource.ts'
import { setQuery } from '../../lib/router.ts'
import type { DataStyle } from '../../map/combined-style.ts'
import { MapView } from '../../map/map-view.tsx'
import { objectsStyle } from '../../map/objects.ts'
import { isDark } from '../../map/theme.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { chosenRow } from './columns/chosen-row.ts'
import type { Rows } from './types.ts'

/** The first rows, how many of all are on the map so far, and whether these are all. */
interface Preview extends Rows {
  rows?: number
  whole?: boolean
}

/** More are drawn by tiles. */
const maxObjects = 500
const pollMs = 1500

interface PreviewMapProps {
  path: string
  /** Assumed CRS of the coordinates. */
  srs: string | undefined
  /** Name of the layer that the task would create; without it only the first rows are drawn. */
  name?: string | undefined
}

/** Map of a task's rows before loading. Selection is shared with the table. */
export function PreviewMap({ path, srs, name }: PreviewMapProps) {
  const texts = importTexts.value
  const query = { limit: maxObjects, srs }
  const first = useMemo(
    () =>
      new Resource<Preview>((aborted) =>
        whenReady(() => call({ path: `${path}/preview.geojson`, query }, aborted), aborted),
      ),
    [path, srs],
  )
  useEffect(() => {
    void first.load()
    return () => first.stop()
  }, [first])
  const { value, error } = first.state.value
  useEffect(() => {
    if (value?.whole !== false) return undefined
    const timer = setTimeout(() => void first.load(), pollMs)
    return () => clearTimeout(timer)
  }, [first, value])
  const rows = value?.rows ?? 0
  const isLarge = name !== undefined && rows > maxObjects
  const dark = isDark.value
  const style = useMemo(
    () => (isLarge ? tilesStyle({ path, srs, name, rows }, dark) : undefined),
    [isLarge, path, srs, name, rows, dark],
  )
  // Tables, and coordinates whose CRS is unknown, have no map.
  if (error instanceof Refusal && error.status < 500) return <p class="body dim">{error.message}</p>
  if (error !== undefined) return <Failed error={error} onAgain={() => void first.load()} />
  if (value === undefined) return <Loading />
  const { bbox, features } = value
  const chosen = chosenRow.value?.path === path ? chosenRow.value.row : undefined
  return (
    <MapView
      label={texts.onMap}
      {...(style === undefined ? { objects: features } : { style })}
      bounds={bbox}
      selected={chosen === undefined ? [] : [chosen]}
      show={boundsOf(chosen?.geometry)}
      onPick={(found) => {
        const row = Number(found?.id)
        if (Number.isSafeInteger(row) && row > 0) setQuery({ row: String(row) })
      }}
    />
  )
}

/** Tiles of all rows read so far, in the style of supplied objects. */
function tilesStyle(
  { path, srs, name, rows }: { path: string; srs: string | undefined; name: string; rows: number },
  dark: boolean,
): DataStyle {
  const requested = srs === undefined ? '' : `?srs=${encodeURIComponent(srs)}`
  // The fragment is not sent: it makes MapLibre request the tiles again when there are more rows.
  const tiles = [`${fullAddressOf(path)}/preview/{z}/{x}/{y}.mvt${requested}#${rows}`]
  const { layers } = objectsStyle({ name: 'preview', objects: [] }, dark)
  return {
    sources: { preview: { type: 'vector', tiles, maxzoom: 16 } },
    layers: layers.map((one) => ({ ...one, 'source-layer': name }) as (typeof layers)[number]),
  }
}
