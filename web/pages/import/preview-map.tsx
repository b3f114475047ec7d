import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Resource } from '../../lib/resource.ts'
import type { MapView } from '../../map/map-view.tsx'
import { importTexts } from '../../messages/import/texts.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { call, Refusal } from '../../wire/client.ts'
import type { Rows } from './wire.ts'

/** The map is loaded where one is shown. */
const view = signal<ComponentType<Parameters<typeof MapView>[0]> | undefined>(undefined)

async function loadMap(): Promise<void> {
  view.value ??= (await import('../../map/map-view.tsx')).MapView
}

/** Where the rows of a task would fall, before anything is loaded; `srs` is what their numbers are taken to be. */
export function PreviewMap({ path, srs }: { path: string; srs: string | undefined }) {
  const texts = importTexts.value
  const query = { limit: 500, ...(srs !== undefined && { srs }) }
  const first = useMemo(
    () => new Resource<Rows>((aborted) => call({ path: `${path}/preview.geojson`, query }, aborted)),
    [path, srs],
  )
  useEffect(() => {
    void loadMap()
    void first.load()
    return () => first.stop()
  }, [first])
  const { value, error } = first.state.value
  const style = useMemo(() => (value === undefined ? undefined : styleOf(value)), [value])
  // Of a table, and of numbers of which nobody knows where they lie, there is none.
  if (error instanceof Refusal && error.status < 500) return <p class="body dim">{error.message}</p>
  if (error !== undefined) return <Failed error={error} onAgain={() => void first.load()} />
  const View = view.value
  if (View === undefined || style === undefined) return <Loading />
  return (
    <div class="map">
      <View label={texts.onMap} style={style} {...(value?.bbox && { bounds: value.bbox })} />
    </div>
  )
}

const colour = '#2b8490'
const edge = '#00505c'

function styleOf(rows: Rows): Parameters<typeof MapView>[0]['style'] {
  const of = (type: string) => ['==', ['geometry-type'], type] as ['==', ['geometry-type'], string]
  return {
    version: 8,
    sources: { rows: { type: 'geojson', data: rows as never } },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': '#dfe7e8' } },
      {
        ...{ id: 'areas', type: 'fill', source: 'rows', filter: of('Polygon') },
        paint: { 'fill-color': colour, 'fill-opacity': 0.35, 'fill-outline-color': edge },
      },
      {
        ...{ id: 'lines', type: 'line', source: 'rows', filter: of('LineString') },
        paint: { 'line-color': edge, 'line-width': 1.5 },
      },
      {
        ...{ id: 'points', type: 'circle', source: 'rows', filter: of('Point') },
        paint: {
          'circle-color': edge,
          'circle-radius': 4,
          'circle-stroke-color': '#ffffff',
          'circle-stroke-width': 1,
        },
      },
    ],
  }
}
