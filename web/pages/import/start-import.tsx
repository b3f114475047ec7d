import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon, Mark } from '../../components/icon.tsx'
import { Failed, reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { goTo } from '../../lib/router.ts'
import { importTexts, sendingTexts } from '../../messages/import/texts.ts'
import type { PastImport } from './history/past-imports.ts'
import { titleOf } from './history/past-list.tsx'
import { Sources } from './sources/sources.tsx'
import type { ImportSummary } from './types.ts'
import { type Chosen, droppedFiles, inputFiles, maxFiles } from './upload/chosen-files.ts'
import { type FileSet, fileSets } from './upload/file-sets.ts'
import { FilesPanel, isWhole } from './upload/files-panel.tsx'
import { type Sending, sendingOfUser } from './upload/sending.ts'
import type { SentFile } from './upload/sent-file.ts'

interface ImportReply {
  import: ImportSummary
}

/** `/app/import`: what is to be imported, and imports that are not done. */
export function StartImportPage() {
  const texts = sendingTexts.value
  const sending = useMemo(sendingOfUser, [])
  const isDragged = useSignal(false)
  const { error, look } = useLook(sending)
  useDrops(isDragged, (chosen) => void sending.add(chosen))
  const sets = fileSets(sending.files.value)
  const whole = sets.filter(isWhole)
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <div class="acts">
          <CopyAsCurl call={() => importOf(whole)} />
        </div>
      </div>
      <div class="imp1">
        <div class="stack">
          <DropZone isDragged={isDragged.value} onChosen={(chosen) => void sending.add(chosen)} />
          <LeftOut sending={sending} />
          {error.value !== undefined && (
            <div class="note bad" role="alert">
              <Icon name="bad" />
              <div dir="auto">{reasonOf(error.value)}</div>
            </div>
          )}
          {sets.length > 0 && (
            <FilesPanel sending={sending} sets={sets} whole={whole} onLook={() => void look(whole)} />
          )}
        </div>
        <div class="stack">
          <Sources />
          <Unfinished />
        </div>
      </div>
    </>
  )
}

type Sets = readonly FileSet<SentFile>[]

/** The call that makes an import of files that have come. */
function importOf(sets: Sets): Call {
  const files = sets.flatMap(({ main, parts }) => [main, ...parts])
  const upload = files.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const data = upload.length === 0 ? {} : { data: { type: 'file', upload } }
  return { method: 'POST', path: '/rest/imports', query: { async: true }, body: { import: data } }
}

/**
 * Creates an import of the uploaded files: on request, or at once if everything has arrived and nothing is
 * missing.
 */
function useLook(sending: Sending): { error: Signal<unknown>; look(sets: Sets): Promise<void> } {
  const error = useSignal<unknown>(undefined)
  const isLooking = useSignal(false)
  const look = async (sets: Sets): Promise<void> => {
    if (isLooking.peek()) return
    isLooking.value = true
    error.value = undefined
    try {
      const { import: made } = await call<ImportReply>(importOf(sets))
      sending.forget(sets.flatMap(({ main, parts }) => [main, ...parts]))
      goTo(`/app/imports/${made.id}`)
    } catch (refusal) {
      error.value = refusal
      await sending.find(new AbortController().signal).catch(() => undefined)
    } finally {
      isLooking.value = false
    }
  }
  useEffect(() => {
    const leaving = new AbortController()
    sending.find(leaving.signal).catch((reason: unknown) => {
      if (!leaving.signal.aborted) error.value = reason
    })
    return () => leaving.abort()
  }, [sending])
  useSignalEffect(() => {
    if (!isAllThere(sending) || error.value !== undefined) return
    void look(fileSets(sending.files.peek()))
  })
  return { error, look }
}

/** True if no upload or decision is pending. */
function isAllThere(sending: Sending): boolean {
  const { isCut, unread } = sending.chosen.value
  const files = sending.files.value
  const isPlain = !isCut && unread.length === 0 && files.length > 0
  return (
    isPlain &&
    files.every((one) => one.state.value === 'done' && !one.isFromBefore) &&
    fileSets(files).every(({ missing }) => missing.length === 0)
  )
}

/** Accepts files dropped anywhere on the page. */
function useDrops(isDragged: Signal<boolean>, onChosen: (chosen: Chosen) => void): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      isDragged.value = true
    }
    const out = (event: DragEvent): void => {
      if (event.relatedTarget === null) isDragged.value = false
    }
    const drop = (event: DragEvent): void => {
      isDragged.value = false
      if (event.dataTransfer === null) return
      event.preventDefault()
      void droppedFiles(event.dataTransfer).then(onChosen)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', out)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', out)
      removeEventListener('drop', drop)
    }
  }, [])
}

/** Files of the last selection that were ignored. */
function LeftOut({ sending }: { sending: Sending }) {
  const texts = sendingTexts.value
  const { isCut, unread } = sending.chosen.value
  const reported = [
    ...(isCut ? [texts.cut(maxFiles)] : []),
    ...(unread.length > 0 ? [texts.unread(unread.slice(0, 5).join(', '))] : []),
  ]
  return reported.map((text) => (
    <div key={text} class="note warn" role="status">
      <Icon name="warn" />
      <div dir="auto">{text}</div>
    </div>
  ))
}

interface DropZoneProps {
  isDragged: boolean
  onChosen(chosen: Chosen): void
}

function DropZone({ isDragged, onChosen }: DropZoneProps) {
  const texts = sendingTexts.value
  return (
    <section class={`drop${isDragged ? ' over' : ''}`} aria-label={texts.drop}>
      <span class="dropmark">
        <Mark />
      </span>
      <p class="lead">{isDragged ? texts.letGo : texts.drop}</p>
      <p class="dim">{texts.dropHint}</p>
      <div class="row wrap">
        <Chooser icon="file" label={texts.chooseFiles} look="main" onChosen={onChosen} />
        <Chooser icon="folder" label={texts.chooseFolder} look="" isFolder={true} onChosen={onChosen} />
      </div>
      <p class="hint">{texts.formats}</p>
    </section>
  )
}

interface ChooserProps {
  icon: string
  label: string
  look: string
  isFolder?: boolean
  onChosen(chosen: Chosen): void
}

function Chooser({ icon, label, look, isFolder = false, onChosen }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isFolder
  }, [isFolder])
  return (
    <>
      <button type="button" class={`btn ${look}`} onClick={() => input.current?.click()}>
        <Icon name={icon} />
        {label}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          onChosen(inputFiles(event.currentTarget.files))
          // The same file may be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

const maxShown = 8
const open: Call = {
  path: '/rest/import-history',
  query: { state: 'INIT,INIT_ERROR,PENDING,READY,RUNNING', limit: maxShown },
}

/** Imports that need input or are running; others are in the history. */
function Unfinished() {
  const texts = importTexts.value
  const imports = useMemo(() => new Resource<{ imports: PastImport[] }>((signal) => call(open, signal)), [])
  useEffect(() => {
    void imports.load()
    return () => imports.stop()
  }, [imports])
  const { value, error } = imports.state.value
  return (
    <aside class="panel">
      <header>
        <h2>{texts.unfinished}</h2>
        <a href={addressOf('/app/imports')}>{texts.history}</a>
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void imports.load()} />}
      {value?.imports.length === 0 && <p class="body dim">{texts.noneUnfinished}</p>}
      <ul class="unf">
        {value?.imports.map((one) => (
          <li key={one.id}>
            <a href={addressOf(`/app/imports/${one.id}`)} dir="auto">
              {titleOf(one)}
            </a>
            <span class="dim">
              {texts.name(one.id)} · {texts.states(one.state)}
            </span>
          </li>
        ))}
      </ul>
    </aside>
  )
}
