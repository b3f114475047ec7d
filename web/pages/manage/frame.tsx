import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownTime } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import type { Loadable } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { messages } from '../../messages/messages.ts'
import { session } from '../../session/session.ts'
import { partOf, partSize } from './listing.ts'

const places = ['workspaces', 'stores', 'layerGroups', 'sources', 'users', 'groups', 'audit'] as const
const forAdministrators: readonly string[] = ['users', 'groups', 'audit']
type ManagePage = (typeof places)[number]

interface FrameProps {
  place: ManagePage
  lead: string
  requested: Call
  /** Label of the button for a new entry; absent: entries are not created here. */
  act?: string
  /** Page for a new entry; default: a dialog of this page. */
  actPage?: string
  /** Elements beside that button. */
  more?: ComponentChildren
  list: Loadable<unknown>
  onAgain(): void
  children: ComponentChildren
  /** Elements beside the search. */
  filters?: ComponentChildren
  isSearched?: boolean
}

/** Frame of all management lists. */
export function Frame(props: FrameProps) {
  const { place, lead, requested, act, actPage, list, onAgain, children, filters, more } = props
  const { isSearched = true } = props
  const texts = manageTexts.value
  const { state } = messages.value
  return (
    <div class="manage">
      <div class="head">
        <div>
          <Places here={place} />
          <h1>{texts[place]}</h1>
          <p class="dim">{lead}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={requested} />
          {more}
          {act !== undefined && <NewEntry act={act} page={actPage} />}
        </div>
      </div>
      {isSearched && (
        <div class="bar-filter">
          <Search />
          {filters}
        </div>
      )}
      {!isSearched && filters}
      {list.error !== undefined && <Failed error={list.error} onAgain={onAgain} />}
      {list.error !== undefined && list.at !== undefined && (
        <p class="dim small">{state.shownAsOf(shownTime(list.at))}</p>
      )}
      {list.value === undefined && list.error === undefined && <Loading />}
      {list.value !== undefined && <div aria-busy={list.isLoading}>{children}</div>}
    </div>
  )
}

function NewEntry({ act, page }: { act: string; page: string | undefined }) {
  return page === undefined ? (
    <button type="button" class="btn main" onClick={() => setQuery({ new: '1' }, { isReplaced: false })}>
      <Icon name="plus" />
      {act}
    </button>
  ) : (
    <a class="btn main" href={addressOf(page)}>
      <Icon name="plus" />
      {act}
    </a>
  )
}

function Places({ here }: { here: ManagePage }) {
  const texts = manageTexts.value
  const shown = places.filter((one) => !forAdministrators.includes(one) || session.value?.role === 'admin')
  return (
    <nav class="places" aria-label={texts.places}>
      {shown.map((one) => (
        <a key={one} href={addressOf(pageOf(one))} aria-current={one === here ? 'page' : undefined}>
          {texts[one]}
        </a>
      ))}
    </nav>
  )
}

function pageOf(place: ManagePage): string {
  return place === 'layerGroups' ? '/app/layer-groups' : `/app/${place}`
}

const typingMilliseconds = 150

function Search() {
  const texts = manageTexts.value
  const timer = useRef(0)
  const typed = (text: string): void => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setQuery({ q: text.trim(), part: undefined }), typingMilliseconds)
  }
  return (
    <search class="withicon">
      <Icon name="search" />
      <input
        class="in"
        type="search"
        dir="auto"
        aria-label={texts.find}
        placeholder={texts.find}
        defaultValue={query.peek().get('q') ?? ''}
        onInput={(event) => typed(event.currentTarget.value)}
      />
    </search>
  )
}

/** Paging of a long list. */
export function PageSections({ total }: { total: number }) {
  const texts = manageTexts.value
  const part = partOf(query.value)
  const from = part * partSize
  if (total <= partSize && part === 0) return null
  const go = (next: number): void => {
    setQuery({ part: next === 0 ? undefined : String(next + 1) }, { isReplaced: false })
    scrollTo(0, 0)
  }
  return (
    <nav class="row paging" aria-label={texts.paging}>
      <span class="dim small grow" role="status">
        {texts.shown(Math.min(from + 1, total), Math.min(from + partSize, total), total)}
      </span>
      <button type="button" class="btn sm" disabled={part === 0} onClick={() => go(part - 1)}>
        {texts.before}
      </button>
      <button type="button" class="btn sm" disabled={from + partSize >= total} onClick={() => go(part + 1)}>
        {texts.next}
      </button>
    </nav>
  )
}

/** In the place of rows, where there are none. */
export function Nothing() {
  return (
    <div class="panel state">
      <h2 dir="auto">{manageTexts.value.nothing(query.value.get('q') ?? '')}</h2>
    </div>
  )
}
