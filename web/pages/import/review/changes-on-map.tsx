import { useSignal } from '@preact/signals'
import type { FilterSpecification, LayerSpecification } from 'maplibre-gl'
import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call, callAddress } from '../../../api/client.ts'
import { shownNumber } from '../../../components/formats.ts'
import { Failed, Loading } from '../../../components/states.tsx'
import { fullAddressOf } from '../../../lib/base.ts'
import { Resource } from '../../../lib/resource.ts'
import { colourOf, hatchingLayer, signsLayer } from '../../../map/change-marks.ts'
import type { DataStyle } from '../../../map/combined-style.ts'
import { MapView } from '../../../map/map-view.tsx'
import { decidingTexts } from '../../../messages/import/texts.ts'
import { type Change, type Changed, ChangesTable, signs } from './changes-table.tsx'
import { type DryRunTask, dryRunPath } from './dry-run.ts'

const maxRows = 100
const kinds = ['removed', 'changed', 'added'] as const

/** The difference on the map and row by row; what is chosen in the table is marked on the map. */
export function ChangesOnMap({ importId, found }: { importId: number; found: DryRunTask }) {
  const texts = decidingTexts.value
  const kind = useSignal<Change | undefined>(undefined)
  const chosen = useSignal<Changed | undefined>(undefined)
  const path = `${dryRunPath(importId)}/tasks/${found.task}`
  const requested: Call = { path: `${path}/changes`, query: pageOf(found, kind.value) }
  const rows = useMemo(
    () => new Resource<{ features: Changed[] }>((signal) => call(requested, signal)),
    [path, kind.value],
  )
  useEffect(() => {
    void rows.load()
    return () => rows.stop()
  }, [rows])
  const { value, error } = rows.state.value
  const features = value?.features.filter(({ properties: { change } }) => (kind.value ?? change) === change)
  const tiles = found.tilesHref === undefined ? undefined : path
  const bounds = useMemo(() => boundsOf(found, value?.features ?? []), [value])
  const style = useMemo(() => (tiles === undefined ? undefined : differenceStyle(tiles)), [tiles])
  const selected = useMemo(() => (chosen.value === undefined ? [] : [chosen.value]), [chosen.value])
  return (
    <>
      {style !== undefined && bounds !== undefined && (
        <div class="changemap">
          <MapView label={texts.differenceMap} style={style} bounds={bounds} selected={selected} />
          <Legend />
        </div>
      )}
      <div class="row wrap">
        <fieldset class="seg wraps">
          <legend class="vh">{texts.shownChanges}</legend>
          {[undefined, ...kinds].map((one) => (
            <button
              key={one ?? 'all'}
              type="button"
              aria-pressed={kind.value === one}
              onClick={() => (kind.value = one)}
            >
              {one === undefined ? texts.all : texts[one]} {shownNumber(countOf(found, one))}
            </button>
          ))}
        </fieldset>
        <span class="grow" />
        <a
          class="btn quiet"
          href={callAddress({ path: `${path}/changes`, query: { format: 'csv' } })}
          download="changes.csv"
        >
          {texts.allAsCsv}
        </a>
      </div>
      {error !== undefined && <Failed error={error} onAgain={() => void rows.load()} />}
      {features === undefined && error === undefined && <Loading />}
      {features !== undefined && (
        <ChangesTable features={features} chosen={chosen.value} onChoose={(one) => (chosen.value = one)} />
      )}
      {features !== undefined && features.length < countOf(found, kind.value) && (
        <p class="dim">{texts.firstRows(features.length, countOf(found, kind.value))}</p>
      )}
    </>
  )
}

function countOf({ changes }: DryRunTask, kind: Change | undefined): number {
  if (changes === undefined) return 0
  const { added, removed } = changes
  const changed = changes.changed ?? 0
  return kind === undefined ? added + changed + removed : { added, changed, removed }[kind]
}

/** Changes are listed by kind: removed rows first, then changed ones, then added ones. */
function pageOf(found: DryRunTask, kind: Change | undefined): { limit: number; offset: number } {
  const before = kind === undefined ? [] : kinds.slice(0, kinds.indexOf(kind))
  return { limit: maxRows, offset: before.reduce((sum, one) => sum + countOf(found, one), 0) }
}

/** Returns the extent of changes in degrees; undefined if it is unknown. */
function boundsOf({ bounds, crs }: DryRunTask, features: readonly Changed[]): number[] | undefined {
  if (bounds !== undefined && crs?.srs === 'EPSG:4326') return bounds
  const numbers = features.flatMap(({ geometry }) => pointsOf(geometry))
  if (numbers.length === 0) return undefined
  const [xs, ys] = [numbers.map(([x]) => x), numbers.map(([, y]) => y)]
  const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b))
  const most = (values: number[]): number => values.reduce((a, b) => Math.max(a, b))
  return [least(xs), least(ys), most(xs), most(ys)]
}

function pointsOf(geometry: unknown): [number, number][] {
  if (typeof geometry !== 'object' || geometry === null) return []
  if ('geometries' in geometry && Array.isArray(geometry.geometries))
    return geometry.geometries.flatMap(pointsOf)
  return 'coordinates' in geometry ? positionsOf(geometry.coordinates) : []
}

function positionsOf(coordinates: unknown): [number, number][] {
  if (!Array.isArray(coordinates)) return []
  const [x, y] = coordinates
  if (typeof x === 'number' && typeof y === 'number') return [[x, y]]
  return coordinates.flatMap(positionsOf)
}

function Legend() {
  const texts = decidingTexts.value
  return (
    <p class="legend inl">
      {kinds.map((kind) => (
        <span key={kind} class="st">
          <i class={`gl ${signs[kind][0]}`} aria-hidden="true">
            {signs[kind][1]}
          </i>
          {texts[kind]}
        </span>
      ))}
    </p>
  )
}

/** Each with its sign, what is gone hatched, lines of removed rows dashed. */
function differenceStyle(path: string): DataStyle {
  const [source, colour] = ['difference', colourOf('#5b6664')]
  const edges = (isGone: boolean): FilterSpecification => [
    'all',
    ['!=', ['geometry-type'], 'Point'],
    [isGone ? '==' : '!=', ['get', 'change'], 'removed'],
  ]
  const layers: LayerSpecification[] = [
    {
      id: 'difference-areas',
      type: 'fill',
      source,
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': colour, 'fill-opacity': 0.3 },
    },
    hatchingLayer(source),
    {
      id: 'difference-edges',
      type: 'line',
      source,
      filter: edges(false),
      paint: { 'line-color': colour, 'line-width': 2 },
    },
    {
      id: 'difference-gone',
      type: 'line',
      source,
      filter: edges(true),
      paint: { 'line-color': colour, 'line-width': 2, 'line-dasharray': [2, 1.5] },
    },
    signsLayer(source),
  ]
  return {
    sources: { [source]: { type: 'vector', tiles: [`${fullAddressOf(path)}/{z}/{x}/{y}.mvt`], maxzoom: 16 } },
    layers: layers.map((one) => ({ ...one, 'source-layer': 'changes' }) as LayerSpecification),
  }
}
