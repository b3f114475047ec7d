import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Resource } from '../../lib/resource.ts'
import { MapView } from '../../map/map-view.tsx'
import { importTexts } from '../../messages/import/texts.ts'
import { PreviewMap } from './preview-map.tsx'
import type { Candidate, Rows, Task } from './types.ts'

interface Candidates {
  srsCandidates: Candidate[]
  places?: string[]
  needsPlace?: boolean
}

interface WhereProps {
  path: string
  task: Task
  put(call: Call): Promise<void>
}

const maxShown = 4
const maxNamed = 8
const miniRows = 60

interface NamedCrs {
  srs: string
  name: string
  areaName: string
}

/**
 * Data without CRS: candidates with their evidence, the selected one on the map; or a code entered by the
 * reader.
 */
export function WhereIsIt({ path, task, put }: WhereProps) {
  const texts = importTexts.value
  const place = useSignal('')
  const chosen = useSignal<string | undefined>(undefined)
  const { found, named } = useFound(path, place)
  const { value, error } = found.state.value
  const byName = place.value === '' ? [] : (named.value?.crs ?? [])
  const candidates = (value?.srsCandidates ?? task.layer?.srsCandidates ?? []).slice(0, maxShown)
  const srs = chosen.value ?? (candidates[0] && choiceOf(candidates[0]))
  const choose = (code: string): void => {
    chosen.value = code
  }
  return (
    <section class="panel" aria-label={texts.where}>
      <header>
        <h2>{texts.where}</h2>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            place.value = String(new FormData(event.currentTarget).get('place')).trim()
            void found.load()
            if (place.value !== '') void named.load()
          }}
        >
          <input class="in" name="place" aria-label={texts.place} placeholder={texts.place} />
          <button type="submit" class="btn">
            {texts.find}
          </button>
        </form>
      </header>
      <div class="body stack">
        {error !== undefined && byName.length === 0 && (
          <Failed error={error} onAgain={() => void found.load()} />
        )}
        {value === undefined && error === undefined && <Loading />}
        {value?.needsPlace === true && <NeedsPlace />}
        {candidates.length > 0 && (
          <Choice path={path} candidates={candidates} chosen={srs} onChoose={choose} />
        )}
        {byName.length > 0 && <ByName found={byName} chosen={srs} onChoose={choose} />}
        {srs !== undefined && (
          <div class="large-map">
            <PreviewMap path={path} srs={srs} name={task.layer?.name} />
          </div>
        )}
        <TakeIt path={path} srs={srs} put={put} />
      </div>
    </section>
  )
}

/** In place of a code: the definition that the data declare, which has none. */
const declared = 'declared'

const choiceOf = ({ srs }: Candidate): string => srs ?? declared

/** Candidates that the server finds from coordinates and location, and search results. */
function useFound(path: string, place: Signal<string>) {
  const found = useMemo(
    () =>
      new Resource<Candidates>((signal) =>
        call(
          {
            path: `${path}/srs-candidates`,
            query: { place: place.peek() === '' ? undefined : place.peek() },
          },
          signal,
        ),
      ),
    [path, place],
  )
  useEffect(() => {
    void found.load()
    return () => found.stop()
  }, [found])
  const named = useMemo(
    () =>
      new Resource<{ crs: NamedCrs[] }>((signal) =>
        call({ path: '/rest/crs', query: { q: place.peek(), limit: maxNamed } }, signal),
      ),
    [place],
  )
  return { found, named }
}

interface TakeItProps extends Pick<WhereProps, 'path' | 'put'> {
  srs: string | undefined
}

/** Applies the selected candidate, or an entered code. */
function TakeIt({ path, srs, put }: TakeItProps) {
  const texts = importTexts.value
  if (srs === declared) return <Reproject path={path} put={put} />
  const set = (code: string): Call => ({ method: 'PUT', path, body: { task: { layer: { srs: code } } } })
  return (
    <form
      class="row wrap"
      onSubmit={(event) => {
        event.preventDefault()
        const code = String(new FormData(event.currentTarget).get('code')).trim()
        void put(set(code === '' ? (srs ?? '') : code))
      }}
    >
      <input class="in mono epsg" name="code" aria-label={texts.code} placeholder={srs ?? 'EPSG:25832'} />
      {srs !== undefined && <CopyAsCurl call={set(srs)} />}
      <button type="submit" class="btn main">
        {texts.takeCrs}
      </button>
    </form>
  )
}

/** Brings data from the definition that they declare to a system that has a code. */
function Reproject({ path, put }: Pick<WhereProps, 'path' | 'put'>) {
  const texts = importTexts.value
  const target = useSignal('')
  const set = (): Call => ({
    method: 'POST',
    path: `${path}/transforms`,
    body: { type: 'ReprojectTransform', source: declared, target: target.value.trim() || degrees },
  })
  return (
    <form
      class="row wrap"
      onSubmit={(event) => {
        event.preventDefault()
        void put(set())
      }}
    >
      <input
        class="in mono epsg"
        aria-label={texts.targetCode}
        placeholder={degrees}
        value={target.value}
        onInput={({ currentTarget }) => {
          target.value = currentTarget.value
        }}
      />
      <CopyAsCurl call={set()} />
      <button type="submit" class="btn main">
        {texts.reproject}
      </button>
    </form>
  )
}

const degrees = 'EPSG:4326'

function NeedsPlace() {
  return (
    <div class="note">
      <Icon name="info" />
      <div>{importTexts.value.needsPlace}</div>
    </div>
  )
}

interface ChoiceProps {
  path: string
  candidates: Candidate[]
  chosen: string | undefined
  onChoose(srs: string): void
}

/** Candidates side by side, each with its evidence. */
function Choice({ path, candidates, chosen, onChoose }: ChoiceProps) {
  const texts = importTexts.value
  const group = useId()
  return (
    <div class="crs" role="radiogroup" aria-label={texts.where}>
      {candidates.map((candidate) => {
        const { name, evidence, bbox } = candidate
        const srs = choiceOf(candidate)
        return (
          <label key={srs}>
            <input type="radio" name={group} checked={srs === chosen} onChange={() => onChoose(srs)} />
            <span class="map mini" inert aria-hidden="true">
              <MiniMap path={path} srs={srs} bbox={bbox} />
            </span>
            <span class="t">
              <b>{name}</b>
              {srs !== declared && <span class="mono">{srs}</span>}
              <span dir="auto">{srs === declared ? texts.declaredWithoutCode : evidence}</span>
            </span>
          </label>
        )
      })}
    </div>
  )
}

/** Small map of the first rows. */
function MiniMap({ path, srs, bbox }: { path: string; srs: string; bbox?: number[] }) {
  const texts = importTexts.value
  const first = useMemo(
    () =>
      new Resource<Rows>((signal) =>
        call({ path: `${path}/preview.geojson`, query: { limit: miniRows, srs } }, signal),
      ),
    [path, srs],
  )
  useEffect(() => {
    void first.load()
    return () => first.stop()
  }, [first])
  const { value } = first
  const bounds = value?.bbox ?? bbox
  if (value === undefined) return null
  return <MapView label={texts.onMap} objects={value.features} bounds={bounds} />
}

interface ByNameProps {
  found: readonly NamedCrs[]
  chosen: string | undefined
  onChoose(srs: string): void
}

/** Systems that are called so. */
function ByName({ found, chosen, onChoose }: ByNameProps) {
  const texts = importTexts.value
  const group = useId()
  return (
    <fieldset class="by-name">
      <legend class="lbl">{texts.calledSo}</legend>
      {found.map(({ srs, name, areaName }) => (
        <label key={srs} class="check">
          <input type="radio" name={group} checked={srs === chosen} onChange={() => onChoose(srs)} />
          <span>
            <b>{name}</b> <span class="mono">{srs}</span> <small class="dim">{areaName}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
