import { useSignal } from '@preact/signals'
import { useEffect, useId, useMemo } from 'preact/hooks'
import { Resource } from '../../lib/resource.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { type Call, call } from '../../wire/client.ts'
import { PreviewMap } from './preview-map.tsx'
import type { Candidate, Task } from './wire.ts'

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

const mostShown = 4

/** Data that name no CRS: candidates with what speaks for each, the chosen one on the map; or a code that somebody knows. */
export function WhereIsIt({ path, task, put }: WhereProps) {
  const texts = importTexts.value
  const place = useSignal('')
  const chosen = useSignal<string | undefined>(undefined)
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
  const { value, error } = found.state.value
  const candidates = (value?.srsCandidates ?? task.layer?.srsCandidates ?? []).slice(0, mostShown)
  const srs = chosen.value ?? candidates[0]?.srs
  const set = (code: string): Call => ({ method: 'PUT', path, body: { task: { layer: { srs: code } } } })
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
          }}
        >
          <input class="in" name="place" aria-label={texts.place} placeholder={texts.place} />
          <button type="submit" class="btn">
            {texts.find}
          </button>
        </form>
      </header>
      <div class="body stack">
        {error !== undefined && <Failed error={error} onAgain={() => void found.load()} />}
        {value === undefined && error === undefined && <Loading />}
        {value?.needsPlace === true && <NeedsPlace />}
        {candidates.length > 0 && (
          <>
            <Choice
              candidates={candidates}
              chosen={srs}
              onChoose={(code) => {
                chosen.value = code
              }}
            />
            {srs !== undefined && <PreviewMap path={path} srs={srs} />}
          </>
        )}
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
      </div>
    </section>
  )
}

function NeedsPlace() {
  return (
    <div class="note">
      <Icon name="info" />
      <div>{importTexts.value.needsPlace}</div>
    </div>
  )
}

interface ChoiceProps {
  candidates: Candidate[]
  chosen: string | undefined
  onChoose(srs: string): void
}

/** Candidates side by side, each with what speaks for it. */
function Choice({ candidates, chosen, onChoose }: ChoiceProps) {
  const texts = importTexts.value
  const group = useId()
  return (
    <div class="crs" role="radiogroup" aria-label={texts.where}>
      {candidates.map(({ srs, name, evidence }) => (
        <label key={srs}>
          <input type="radio" name={group} checked={srs === chosen} onChange={() => onChoose(srs)} />
          <span class="t">
            <b>{name}</b>
            <span class="mono">{srs}</span>
            <span dir="auto">{evidence}</span>
          </span>
        </label>
      ))}
    </div>
  )
}
