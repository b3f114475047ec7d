import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { reasonOf } from '../components/states.tsx'
import { paletteTexts } from '../messages/palette/texts.ts'
import {
  actEntries,
  type Entry,
  importEntries,
  layerEntries,
  matching,
  pageEntries,
} from './palette-entries.ts'

const typingMilliseconds = 120
/** Maximum number of entries of each kind. */
const maxOfKind = 8

/** Command palette: finds pages, layers and actions while the reader types; works with the keyboard only. */
export function PaletteDialog({ onClose }: { onClose(): void }) {
  const texts = paletteTexts.value
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const { entries, error } = useEntries(words)
  // Before anything else can be typed.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const chosen = Math.min(at, entries.length - 1)
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && entries.length > 0) setAt((chosen + step + entries.length) % entries.length)
    else if (event.key === 'Enter') run(entries[chosen])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={texts.title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="withicon">
        <Icon name="search" />
        <input
          class="in"
          role="combobox"
          dir="auto"
          autofocus
          autocomplete="off"
          spellcheck={false}
          aria-label={texts.title}
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${chosen}`}
          placeholder={texts.hint}
          onInput={(event) => {
            setWords(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
      </div>
      <div class="found-entries" role="listbox" id={`${id}-list`} aria-label={texts.title}>
        {entries.map((entry, place) => (
          <Option
            key={entry.id}
            id={`${id}-${place}`}
            entry={entry}
            isChosen={place === chosen}
            onRun={() => run(entry)}
          />
        ))}
      </div>
      <p class="small dim told-entries" role="status" dir="auto">
        {error !== undefined ? reasonOf(error) : entries.length === 0 ? texts.nothing(words) : texts.keys}
      </p>
    </dialog>
  )
}

interface OptionProps {
  id: string
  entry: Entry
  isChosen: boolean
  onRun(): void
}

function Option({ id, entry: { icon, text, more, kind }, isChosen, onRun }: OptionProps) {
  return (
    <button type="button" role="option" tabIndex={-1} id={id} aria-selected={isChosen} onClick={onRun}>
      <Icon name={icon} />
      <b class="cut" dir="auto">
        {text}
      </b>
      <span class="cut dim mono" dir="auto">
        {more ?? ''}
      </span>
      <small class="dim">{paletteTexts.value.kinds[kind]}</small>
    </button>
  )
}

/** Returns entries for the words: local ones at once, the server's a moment later. */
function useEntries(words: string): { entries: Entry[]; error: unknown } {
  const [imports, setImports] = useState<Entry[]>([])
  const [layers, setLayers] = useState<{ words: string; entries: Entry[] }>({ words: '', entries: [] })
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const asking = new AbortController()
    importEntries(asking.signal).then(setImports, () => undefined)
    return () => asking.abort()
  }, [])
  useEffect(() => {
    const asking = new AbortController()
    const timer = setTimeout(() => {
      layerEntries(words.trim(), asking.signal).then(
        (found) => {
          setLayers({ words, entries: found })
          setError(undefined)
        },
        (reason: unknown) => {
          if (!asking.signal.aborted) setError(reason)
        },
      )
    }, typingMilliseconds)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [words])
  const isRequested = words.trim() !== ''
  const few = (entries: readonly Entry[]): Entry[] => matching(entries, words).slice(0, maxOfKind)
  // Until the server has responded, shows earlier results that match the words too.
  const known = layers.words === words ? layers.entries : matching(layers.entries, words)
  const found = isRequested ? known.slice(0, maxOfKind) : []
  const entries = [
    ...found,
    ...few(pageEntries()),
    ...few(actEntries()),
    ...(isRequested ? few(imports) : []),
  ]
  return { entries, error }
}
