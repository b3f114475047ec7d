import { useEffect, useRef } from 'preact/hooks'
import { shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { query } from '../../lib/router.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { filter, found, sorts } from './layer-list.ts'

const typingMilliseconds = 150
/** Maximum number of workspace buttons; more become a list. */
const maxChips = 4

/** Search, filters with counts, order and view; all of them in the address. */
export function Filters() {
  const texts = homeTexts.value
  return (
    <div class="bar-filter">
      <Search />
      <Chips />
      <div class="row end-row">
        <Workspaces />
        <Sort />
        <fieldset class="seg" aria-label={texts.view}>
          <ViewButton view="" icon="grid" label={texts.cards} />
          <ViewButton view="list" icon="list" label={texts.list} />
        </fieldset>
      </div>
    </div>
  )
}

function Search() {
  const texts = homeTexts.value
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef(0)
  const words = query.value.get('q') ?? ''
  useEffect(() => {
    // Shows the search words of the address, unless the reader is typing.
    if (input.current !== null && document.activeElement !== input.current) input.current.value = words
  }, [words])
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input,textarea,select,dialog') !== null
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const typed = (text: string): void => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(
      () => filter({ q: text.trim() }, { isReplaced: true }),
      typingMilliseconds,
    )
  }
  return (
    <search class="withicon">
      <Icon name="search" />
      <input
        ref={input}
        class="in"
        type="search"
        dir="auto"
        aria-label={texts.search}
        aria-keyshortcuts="/"
        placeholder={texts.searchShort}
        defaultValue={words}
        onInput={(event) => typed(event.currentTarget.value)}
      />
    </search>
  )
}

interface ChipProps {
  text: string
  count: number
  icon?: string
  isOn: boolean
  onPress(): void
}

function Chip({ text, count, icon, isOn, onPress }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onPress}>
      {icon !== undefined && <Icon name={icon} />}
      <span dir="auto">{text}</span> {shownNumber(count)}
    </button>
  )
}

function Chips() {
  const texts = homeTexts.value
  const counts = found.value?.counts
  if (counts === undefined) return null
  const toggle = (name: string, value: string) => {
    const isOn = query.value.get(name) === value
    return { isOn, onPress: () => filter({ [name]: isOn ? '' : value }) }
  }
  const isAll = ['workspace', 'kind', 'public', 'problem'].every((name) => !query.value.has(name))
  const kinds = (['vector', 'raster', 'table'] as const).filter((kind) => counts.kinds[kind] > 0)
  const { workspaces } = counts
  return (
    <fieldset class="chips" aria-label={texts.filters}>
      <button
        type="button"
        class="chip"
        aria-pressed={isAll}
        onClick={() => filter({ workspace: '', kind: '', public: '', problem: '' })}
      >
        {texts.all}
      </button>
      {((counts.problems ?? 0) > 0 || query.value.has('problem')) && (
        <Chip text={texts.look} count={counts.problems ?? 0} icon="warn" {...toggle('problem', 'true')} />
      )}
      {workspaces.length > 1 &&
        workspaces.length <= maxChips &&
        workspaces.map(({ name, layers, public: isPublic }) => (
          <Chip
            key={name}
            text={name}
            count={layers}
            icon={isPublic ? 'globe' : undefined}
            {...toggle('workspace', name)}
          />
        ))}
      {(kinds.length > 1 || query.value.has('kind')) &&
        kinds.map((kind) => (
          <Chip key={kind} text={texts[kind]} count={counts.kinds[kind]} {...toggle('kind', kind)} />
        ))}
      {(counts.notPublic > 0 || query.value.has('public')) && (
        <Chip text={texts.notPublic} count={counts.notPublic} icon="lock" {...toggle('public', 'false')} />
      )}
    </fieldset>
  )
}

/** List of many workspaces, with their numbers of layers and publicity. */
function Workspaces() {
  const texts = homeTexts.value
  const workspaces = found.value?.counts.workspaces ?? []
  const chosen = query.value.get('workspace') ?? ''
  if (workspaces.length <= maxChips) return null
  return (
    <select
      class="in"
      aria-label={texts.workspace}
      value={chosen}
      onChange={(event) => filter({ workspace: event.currentTarget.value })}
    >
      <option value="">{texts.anyWorkspace}</option>
      {workspaces.map(({ name, layers, public: isPublic }) => (
        <option value={name} key={name}>
          {`${name} (${shownNumber(layers)})${isPublic ? ` · ${texts.isPublic}` : ''}`}
        </option>
      ))}
    </select>
  )
}

function Sort() {
  const texts = homeTexts.value
  const hasWords = query.value.has('q')
  const counted = [...(found.value?.layers.values() ?? [])].some(({ requests }) => requests !== undefined)
  const offered = sorts.filter(
    (one) =>
      (one !== 'relevance' || hasWords) && (one !== 'requests' || counted || query.value.get('sort') === one),
  )
  return (
    <select
      class="in"
      aria-label={texts.sort}
      value={query.value.get('sort') ?? (hasWords ? 'relevance' : 'title')}
      onChange={(event) => filter({ sort: event.currentTarget.value })}
    >
      {offered.map((one) => (
        <option value={one} key={one}>
          {texts.sorts[one]}
        </option>
      ))}
    </select>
  )
}

function ViewButton({ view, icon, label }: { view: string; icon: string; label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={(query.value.get('view') ?? '') === view}
      onClick={() => filter({ view })}
    >
      <Icon name={icon} />
    </button>
  )
}
