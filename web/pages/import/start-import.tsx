import { useSignal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { formatNumber } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import { goTo } from '../../lib/router.ts'
import { importTexts } from '../../messages/import/texts.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, reasonOf } from '../../parts/states.tsx'
import { type Call, call } from '../../wire/client.ts'
import { droppedFiles, uploadFiles } from './upload.ts'
import { type ImportSummary, isOver } from './wire.ts'

const create: Call = { method: 'POST', path: '/rest/imports', body: { import: {} } }

interface ImportReply {
  import: ImportSummary
}

/** `/app/import`: what is to be imported, and imports that are not done. */
export function StartImportPage() {
  const texts = importTexts.value
  const sent = useSignal<{ part: number; files: number } | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isOverPage = useSignal(false)
  const leaving = useMemo(() => new AbortController(), [])
  useEffect(() => () => leaving.abort(), [leaving])

  const send = async (files: File[]): Promise<void> => {
    if (files.length === 0 || sent.value !== undefined) return
    error.value = undefined
    sent.value = { part: 0, files: files.length }
    try {
      const { import: made } = await call<ImportReply>(create)
      const tell = (part: number, total: number): void => {
        sent.value = { part: total === 0 ? 0 : part / total, files: files.length }
      }
      await uploadFiles(made.id, files, tell, leaving.signal)
      goTo(`/app/imports/${made.id}`)
    } catch (refusal) {
      if (!leaving.signal.aborted) error.value = refusal
    } finally {
      sent.value = undefined
    }
  }

  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault()
      isOverPage.value = true
    }
    const out = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOverPage.value = false
    }
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      isOverPage.value = false
      if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(send)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', out)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', out)
      removeEventListener('drop', drop)
    }
  })

  return (
    <>
      <div class="head">
        <div>
          <h1>{texts.startTitle}</h1>
          <p class="dim">{texts.nothingSaved}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={create} />
        </div>
      </div>
      <div class="imp1">
        <div class="stack">
          <DropZone isOver={isOverPage.value} sent={sent.value} onFiles={(files) => void send(files)} />
          {error.value !== undefined && (
            <div class="note bad" role="alert">
              <Icon name="bad" />
              <div dir="auto">{reasonOf(error.value)}</div>
            </div>
          )}
          <FromElsewhere />
        </div>
        <Unfinished />
      </div>
    </>
  )
}

interface DropZoneProps {
  isOver: boolean
  sent: { part: number; files: number } | undefined
  onFiles(files: File[]): void
}

function DropZone({ isOver: isDragged, sent, onFiles }: DropZoneProps) {
  const texts = importTexts.value
  const input = useRef<HTMLInputElement>(null)
  return (
    <section class={`drop${isDragged ? ' over' : ''}`} aria-label={texts.drop}>
      {sent === undefined ? (
        <>
          <p class="lead">{texts.drop}</p>
          <p class="dim">{texts.dropHint}</p>
          <button type="button" class="btn main big" onClick={() => input.current?.click()}>
            <Icon name="upload" />
            {texts.choose}
          </button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={texts.choose}
            onChange={(event) => onFiles([...(event.currentTarget.files ?? [])])}
          />
        </>
      ) : (
        <div class="stack s2 sending" role="status">
          <p class="lead">{texts.uploading(sent.files)}</p>
          <progress value={sent.part} max={1} aria-label={texts.uploading(sent.files)} />
          <p class="dim">{formatNumber(messages.value.locale, sent.part, { style: 'percent' })}</p>
        </div>
      )}
    </section>
  )
}

/** An address, or a folder that the server may read. */
function FromElsewhere() {
  const texts = importTexts.value
  const id = useId()
  const error = useSignal<unknown>(undefined)
  const begin = async (place: string): Promise<void> => {
    const isRemote = /^[a-z][a-z\d+.-]*:\/\//i.test(place)
    const data = isRemote ? { type: 'remote', location: place } : { type: 'directory', location: place }
    error.value = undefined
    try {
      const body = { import: { data } }
      const { import: made } = await call<ImportReply>({ method: 'POST', path: '/rest/imports', body })
      goTo(`/app/imports/${made.id}`)
    } catch (refusal) {
      error.value = refusal
    }
  }
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault()
        void begin(String(new FormData(event.currentTarget).get('place')).trim())
      }}
    >
      <div class="body stack s2">
        <div class="field">
          <label for={id}>{texts.elsewhere}</label>
          <div class="row">
            <input
              class="in mono"
              id={id}
              name="place"
              required
              placeholder="https://example.org/roads.zip"
            />
            <button type="submit" class="btn">
              {texts.fetch}
            </button>
          </div>
          <p class="hint">{texts.elsewhereHint}</p>
        </div>
        {error.value !== undefined && (
          <p class="err" role="alert">
            <Icon name="bad" />
            <span dir="auto">{reasonOf(error.value)}</span>
          </p>
        )}
      </div>
    </form>
  )
}

const mostShown = 8

/** Imports that wait for somebody, or are under way; the others stand in the history. */
function Unfinished() {
  const texts = importTexts.value
  const imports = useMemo(
    () => new Resource<{ imports: ImportSummary[] }>((signal) => call({ path: '/rest/imports' }, signal)),
    [],
  )
  useEffect(() => {
    void imports.load()
    return () => imports.stop()
  }, [imports])
  const { value, error } = imports.state.value
  const open = (value?.imports ?? []).filter(({ state }) => !isOver(state)).slice(0, mostShown)
  return (
    <aside class="panel">
      <header>
        <h2>{texts.unfinished}</h2>
        <a href={addressOf('/app/imports')}>{texts.history}</a>
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void imports.load()} />}
      {value !== undefined && open.length === 0 && <p class="body dim">{texts.noneUnfinished}</p>}
      <ul class="unf">
        {open.map(({ id, state }) => (
          <li key={id}>
            <a href={addressOf(`/app/imports/${id}`)}>{texts.name(id)}</a>
            <span class="dim">{texts.states(state)}</span>
          </li>
        ))}
      </ul>
    </aside>
  )
}
