import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { whenReady } from '../../api/when-ready.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { boundsOf } from '../../lib/bounds.ts'
import { Resource } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { MapView } from '../../map/map-view.tsx'
import type { MapObject } from '../../map/objects.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { type Counts, layerPath, type Version } from './types.ts'
import { Signs } from './versions.tsx'

type Values = Record<string, unknown>

interface Change extends MapObject {
  properties: { change: 'added' | 'changed' | 'removed'; featureId?: string; before?: Values; after?: Values }
}

interface Compared {
  version: number
  against: number
  changes: Counts & { matchedBy: string[] }
  rows: { features: Change[] }
}

const maxListed = 100
const signs = { added: '+', changed: '~', removed: '−' }

interface CompareProps {
  id: string
  versions: readonly Version[]
  bounds: readonly number[] | undefined
}

/** Changes of rows between two versions in the address: `?from=1&to=3`. */
export function Compare({ id, versions, bounds }: CompareProps) {
  const [from, to] = [query.value.get('from'), query.value.get('to')]
  if (from === null || to === null) return null
  return <Difference key={`${from} ${to}`} id={id} from={from} to={to} versions={versions} bounds={bounds} />
}

function Difference({ id, from, to, versions, bounds }: CompareProps & { from: string; to: string }) {
  const texts = layerTexts.value
  const requested: Call = {
    path: `${layerPath(id)}/versions/${encodeURIComponent(from)}/changes`,
    query: { against: to, limit: maxListed },
  }
  const found = useMemo(
    () => new Resource((aborted) => whenReady(() => call<Compared>(requested, aborted), aborted)),
    [id, from, to],
  )
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  const { value, error } = found.state.value
  const objects = useMemo(() => value?.rows.features.filter(({ geometry }) => geometry !== null), [value])
  const choose = (name: 'from' | 'to', chosen: string) => (
    <select
      class="in"
      aria-label={name === 'from' ? texts.compareFrom : texts.compareTo}
      value={chosen}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      {versions.map(({ version }) => (
        <option key={version} value={String(version)}>{`v${version}`}</option>
      ))}
    </select>
  )
  return (
    <section class="panel compare" aria-label={texts.comparison}>
      <header>
        <h2>{texts.comparison}</h2>
        {choose('from', from)}
        <Icon name="arrow" />
        {choose('to', to)}
        <CopyAsCurl call={requested} />
        <button
          type="button"
          class="btn quiet ic"
          aria-label={messages.value.state.close}
          onClick={() => setQuery({ from: undefined, to: undefined })}
        >
          <Icon name="x" />
        </button>
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void found.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value !== undefined && (
        <div class="body stack">
          <p role="status">
            <Signs counts={value.changes} /> {texts.same(value.changes.same)}
            {value.changes.changed === null && ` ${texts.notMatched}`}
          </p>
          {objects !== undefined && objects.length > 0 && (
            <MapView
              label={texts.mapOfChanges}
              objects={objects}
              bounds={bounds ? (extentOf(objects) ?? bounds) : undefined}
              popup={(one) => <Values of={one.properties as unknown as Change['properties']} />}
            />
          )}
          <ChangeList changes={value.rows.features} />
        </div>
      )}
    </section>
  )
}

function extentOf(objects: readonly MapObject[]): [number, number, number, number] | undefined {
  return boundsOf({ geometries: objects.map(({ geometry }) => geometry) })
}

function ChangeList({ changes }: { changes: readonly Change[] }) {
  const texts = layerTexts.value
  if (changes.length === 0) return <p class="dim">{texts.nothingDiffers}</p>
  return (
    <>
      <ul class="changes">
        {changes.map(({ properties }, index) => (
          <li key={`${properties.featureId ?? index} ${properties.change}`} class={properties.change}>
            <b class="sign" aria-hidden="true">
              {signs[properties.change]}
            </b>
            <div>
              <b>{texts.changeOf[properties.change]}</b> <span class="mono">{properties.featureId}</span>
              <Values of={properties} />
            </div>
          </li>
        ))}
      </ul>
      {changes.length === maxListed && <p class="dim small">{texts.firstChanges(maxListed)}</p>}
    </>
  )
}

const maxValues = 12

/** Differences of a changed row; the first values of another one. */
function Values({ of }: { of: Change['properties'] }) {
  const [before, after] = [readValues(of.before), readValues(of.after)]
  const names = Object.keys({ ...before, ...after })
  const reported =
    of.change === 'changed' ? names.filter((name) => !isSame(before[name], after[name])) : names
  if (reported.length === 0) return <p class="dim small">{layerTexts.value.shapeDiffers}</p>
  return (
    <dl class="kv">
      {reported.slice(0, maxValues).map((name) => (
        <div key={name} class="pair">
          <dt dir="auto">{name}</dt>
          <dd dir="auto">
            {of.change !== 'added' && <del>{textOf(before[name])}</del>}
            {of.change === 'changed' && ' → '}
            {of.change !== 'removed' && <ins>{textOf(after[name])}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** MapLibre returns nested properties as text. */
function readValues(values: unknown): Values {
  if (typeof values === 'string') return JSON.parse(values) as Values
  return (values ?? {}) as Values
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

const maxLetters = 200

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return layerTexts.value.noValue
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > maxLetters ? `${text.slice(0, maxLetters)}…` : text
}
