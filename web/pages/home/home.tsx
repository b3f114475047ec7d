import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { hasPage } from '../../lib/known-pages.ts'
import { query } from '../../lib/router.ts'
import { loadPageSheet } from '../../lib/sheets.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { messages } from '../../messages/messages.ts'
import { isStaff, session } from '../../session/session.ts'
import { Empty } from './empty.tsx'
import { Filters } from './filters.tsx'
import { Cards } from './layer-cards.tsx'
import { failure, filter, found, isLoading, listCall, load, queryOf } from './layer-list.ts'
import type { MappedLayers } from './layers-on-map.ts'
import { layersOnMap } from './layers-on-map.ts'
import { List } from './list.tsx'
import { Sentence } from './sentence.tsx'
import { state } from './state.ts'

const refreshMilliseconds = 60_000

/** Server status, and all layers that the caller may see. */
export function Home() {
  const texts = homeTexts.value
  const request = JSON.stringify(queryOf(query.value))
  const turn = useTurn()
  useEffect(() => {
    void load()
  }, [request, turn])
  useEffect(() => {
    void state.load()
    const timer = setInterval(() => void (document.hidden || state.load()), refreshMilliseconds)
    return () => clearInterval(timer)
  }, [turn])
  if (found.value?.total === 0 && !isFiltered() && failure.value === undefined) return <Empty />
  return (
    <>
      <div class="head">
        <div>
          <h1 class="vh">{texts.title}</h1>
          <Sentence />
        </div>
        <div class="acts">
          <CopyAsCurl call={() => listCall()} />
          {isStaff.value && hasPage('/app/import') && (
            <a class="btn main" href={addressOf('/app/import')}>
              <Icon name="upload" />
              {texts.import}
            </a>
          )}
        </div>
      </div>
      {!isFiltered() && <FewLayers />}
      <section aria-label={texts.layers}>
        <Filters />
        {failure.value !== undefined && <Failed error={failure.value} onAgain={() => void load()} />}
        <Layers />
      </section>
    </>
  )
}

/** A map of all layers while they are few; its code is loaded only then. */
function FewLayers() {
  const now = found.value
  const mapped = now === undefined ? { ids: [] } : layersOnMap(now.total, [...now.layers.values()])
  const [shown, setShown] = useState<{ Map: ComponentType<MappedLayers> }>()
  const hasLayers = mapped.ids.length > 0
  useEffect(() => {
    // The cards show each layer too: without the map the page does what it is for.
    const fail = (): void => undefined
    if (!hasLayers) return
    Promise.all([import('./home-map.tsx'), loadPageSheet('map')]).then(
      ([{ HomeMap }]) => setShown({ Map: HomeMap }),
      fail,
    )
  }, [hasLayers])
  if (!hasLayers) return null
  return shown === undefined ? <div class="home-map" /> : <shown.Map {...mapped} />
}

/**
 * Returns another number when another user signs in. The server knows the user before the page does: requests
 * sent meanwhile are not repeated.
 */
function useTurn(): number {
  const now = session.value === undefined ? undefined : (session.value?.user ?? '')
  const before = useRef({ user: now, turn: 0 })
  const { user, turn } = before.current
  if (user !== now) before.current = { user: now, turn: user === undefined ? turn : turn + 1 }
  return before.current.turn
}

function isFiltered(): boolean {
  return ['q', 'workspace', 'kind', 'public', 'problem'].some((name) => query.value.has(name))
}

function Layers() {
  const texts = homeTexts.value
  const now = found.value
  if (now === undefined) return failure.value === undefined ? <Waiting /> : null
  return (
    <div aria-busy={isLoading.value}>
      <p class="found-count" role="status">
        {texts.found(now.total)}
      </p>
      {now.total === 0 ? (
        <Nothing words={query.value.get('q') ?? ''} />
      ) : query.value.get('view') === 'list' ? (
        <List />
      ) : (
        <Cards />
      )}
    </div>
  )
}

/** Placeholder cards while layers are loading. */
function Waiting() {
  return (
    <ul class="cards" aria-label={messages.value.state.loading}>
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => (
        <li class="skelcard" key={name} aria-hidden="true">
          <div class="skel" />
          <div class="skel" />
          <div class="skel" />
        </li>
      ))}
    </ul>
  )
}

function Nothing({ words }: { words: string }) {
  const texts = homeTexts.value
  const clear = (): void => filter({ q: '', workspace: '', kind: '', public: '', problem: '' })
  return (
    <div class="panel state">
      <Icon name="search" />
      <h2 dir="auto">{words === '' ? texts.nothing : texts.nothingFor(words)}</h2>
      <p class="dim">{texts.nothingHint}</p>
      <button type="button" class="btn" onClick={clear}>
        {texts.clear}
      </button>
    </div>
  )
}
