import { shownBytes, shownLeft, shownShare } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { sendingTexts } from '../../../messages/import/texts.ts'
import type { FileSet } from './file-sets.ts'
import type { Sending } from './sending.ts'
import { type SentFile, type SentState, Unreadable } from './sent-file.ts'

interface FilesPanelProps {
  sending: Sending
  sets: readonly FileSet<SentFile>[]
  /** Sets that are all there. */
  whole: readonly FileSet<SentFile>[]
  onLook(): void
}

const maxShown = 100
const order: SentState[] = ['refused', 'absent', 'trying', 'sending', 'paused', 'waiting', 'done']

/** Uploads in progress and done, and missing parts. */
export function FilesPanel({ sending, sets, whole, onLook }: FilesPanelProps) {
  const texts = sendingTexts.value
  const files = sending.files.value
  const sorted = sets.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, maxShown)
  const isPausable = files.some(({ state }) => ['sending', 'waiting', 'trying'].includes(state.value))
  const paused = files.filter(({ state }) => state.value === 'paused')
  return (
    <section class="panel" aria-label={texts.summary(files.length, sets.length)}>
      <header>
        <h2>{texts.summary(files.length, sets.length)}</h2>
        {isPausable && (
          <button
            type="button"
            class="btn quiet sm"
            onClick={() => {
              for (const one of files) one.pause()
            }}
          >
            {texts.pauseAll}
          </button>
        )}
        {paused.length > 1 && !isPausable && (
          <button type="button" class="btn quiet sm" onClick={() => sending.goOn(paused)}>
            {texts.goOnAll}
          </button>
        )}
        <button type="button" class="btn quiet sm" onClick={() => void sending.remove(files)}>
          {texts.removeAll}
        </button>
      </header>
      <ul class="ups">
        {sorted.map((one) => (
          <SetRow key={one.main.path} sending={sending} files={one} />
        ))}
      </ul>
      {sets.length > sorted.length && <p class="body dim">{texts.more(sets.length - sorted.length)}</p>}
      <footer class="row wrap">
        <Icon name="info" />
        <span class="grow">{texts.kept}</span>
        <button type="button" class="btn main" disabled={whole.length === 0} onClick={onLook}>
          {texts.look(whole.length)}
          <Icon name="arrow" />
        </button>
      </footer>
    </section>
  )
}

function rankOf(set: FileSet<SentFile>): number {
  const rank = order.indexOf(stateOf(set))
  return set.missing.length > 0 ? Math.min(rank, 1) : rank
}

const filesOf = ({ main, parts }: FileSet<SentFile>): SentFile[] => [main, ...parts]

/** Returns the worst state of the files of a set. */
function stateOf(set: FileSet<SentFile>): SentState {
  const states = new Set(filesOf(set).map(({ state }) => state.value))
  return order.find((one) => states.has(one)) ?? 'done'
}

/** True if all files of the set are uploaded. */
export function isWhole(set: FileSet<SentFile>): boolean {
  return stateOf(set) === 'done'
}

function SetRow({ sending, files: set }: { sending: Sending; files: FileSet<SentFile> }) {
  const texts = sendingTexts.value
  const { name, main, parts } = set
  const files = filesOf(set)
  const state = stateOf(set)
  const size = files.reduce((sum, one) => sum + one.size, 0)
  const isBefore = files.every((one) => one.isFromBefore)
  const belongs = parts.map((one) => one.name.slice(one.name.indexOf('.'))).join(', ')
  const about = [
    main.folder !== '' && name === main.name ? texts.inFolder(main.folder) : '',
    parts.length > 0 ? texts.parts(parts.length, belongs) : '',
    isBefore ? texts.fromBefore : '',
  ].filter((one) => one !== '')
  return (
    <li>
      <Icon name={iconOf(name)} />
      <div class="what">
        <b dir="auto">{name}</b>
        {about.length > 0 && <span class="dim">{about.join(' · ')}</span>}
        <Missing set={set} />
        <Reason files={files} />
        {state !== 'done' && <HowFar name={name} files={files} size={size} />}
      </div>
      <span class="size num dim">{shownBytes(size)}</span>
      <StateTag state={state} isPartMissing={set.missing.length > 0} />
      <div class="acts">
        {(state === 'sending' || state === 'waiting' || state === 'trying') && (
          <button
            type="button"
            class="btn quiet ic sm"
            aria-label={texts.pause(name)}
            onClick={() => {
              for (const one of files) one.pause()
            }}
          >
            <Icon name="pause" />
          </button>
        )}
        {(state === 'paused' || (state === 'refused' && !isBefore)) && (
          <button
            type="button"
            class="btn quiet ic sm"
            aria-label={texts.goOn(name)}
            onClick={() => sending.goOn(files)}
          >
            <Icon name="play" />
          </button>
        )}
        <button
          type="button"
          class="btn quiet ic sm"
          aria-label={texts.remove(name)}
          onClick={() => void sending.remove(files)}
        >
          <Icon name="x" />
        </button>
      </div>
    </li>
  )
}

/** Missing parts of a Shapefile, their consequences, and advice. */
function Missing({ set: { missing } }: { set: FileSet<SentFile> }) {
  const texts = sendingTexts.value
  if (missing.length === 0) return null
  const endings = missing.map((one) => `.${one}`)
  const last = endings.at(-1) ?? ''
  const todo =
    endings.length === 1
      ? texts.dropMissing(last)
      : texts.dropAll(`${endings.slice(0, -1).join(', ')} ${texts.or} ${last}`)
  return (
    <span class="lacks">
      {missing.map((one) => texts.missing[one]).join(' ')} {todo}
    </span>
  )
}

function Reason({ files }: { files: readonly SentFile[] }) {
  const error = files.map((one) => one.error.value).find((one) => one !== undefined)
  if (error === undefined) return null
  const text = error instanceof Unreadable ? sendingTexts.value.unreadable : reasonOf(error)
  return (
    <span class="err" role="status" dir="auto">
      {text}
    </span>
  )
}

function HowFar({ name, files, size }: { name: string; files: readonly SentFile[]; size: number }) {
  const texts = sendingTexts.value
  const sent = files.reduce((sum, one) => sum + one.sent.value, 0)
  const rate = files.reduce((sum, one) => sum + one.rate.value, 0)
  const share = size === 0 ? 0 : sent / size
  const reported = [
    texts.progress(shownBytes(sent), shownBytes(size)),
    shownShare(share),
    ...(rate > 0 ? [texts.rate(shownBytes(rate)), texts.left(shownLeft((size - sent) / rate))] : []),
  ]
  return (
    <>
      <span class="dim">{reported.join(' · ')}</span>
      <span
        class="prog"
        role="progressbar"
        aria-label={texts.of(name)}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${share * 100}%` }} />
      </span>
    </>
  )
}

const signs: Record<SentState, [icon: string, look: string]> = {
  waiting: ['clock', 'off'],
  sending: ['upload', ''],
  paused: ['pause', 'off'],
  trying: ['refresh', 'warn'],
  done: ['ok', 'ok'],
  refused: ['bad', 'bad'],
  absent: ['warn', 'warn'],
}

function StateTag({ state, isPartMissing }: { state: SentState; isPartMissing: boolean }) {
  const texts = sendingTexts.value
  const isLacking = isPartMissing && state === 'done'
  const [icon, look] = isLacking ? ['warn', 'warn'] : signs[state]
  return (
    <span class={`st ${look}`}>
      <Icon name={icon} />
      <span>{isLacking ? texts.partMissing : texts.states[state]}</span>
    </span>
  )
}

function iconOf(name: string): string {
  if (/\.(zip|tgz|gz|7z|tar|bz2|xz|kmz)$/i.test(name)) return 'zip'
  if (/\.(csv|tsv|xlsx?|ods|dbf)$/i.test(name)) return 'sheet'
  if (/\.(gpkg|sqlite|gdb)$/i.test(name)) return 'db'
  return 'file'
}
