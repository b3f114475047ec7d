import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading, reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { endTexts } from '../../messages/import-end/texts.ts'
import { type RejectedRow, type RejectedRows, sendCall, withValue } from './rejected-rows.ts'
import { type Task, taskPath } from './types.ts'
import { useAct } from './use-act.ts'

/** Maximum number of rows in the table of inputs. */
const maxShown = 200

interface CorrectRowsProps {
  importId: number
  task: Task
  reload(): Promise<void>
}

/** Rejected rows with their reasons, and fields to correct them. Corrected rows are sent again. */
export function CorrectRows({ importId, task, reload }: CorrectRowsProps) {
  const texts = endTexts.value
  const path = taskPath(String(importId), task.id)
  const requested: Call = { path: `${path}/rejects`, query: { f: 'geojson', limit: maxShown } }
  const rows = useMemo(() => new Resource<RejectedRows>((signal) => call(requested, signal)), [path])
  const corrected = useSignal<ReadonlyMap<number, string>>(new Map())
  const reason = useSignal<string | undefined>(undefined)
  const { act, error } = useAct(reload)
  const { rejected = 0, rowsRead = 0, rowsLoaded = 0 } = task
  useEffect(() => {
    void rows.load()
    return () => rows.stop()
  }, [rows, rejected, task.mended])
  const { value, error: unread } = rows.state.value
  const all = value?.features ?? []
  const shown = all.filter(
    ({ properties }) => reason.value === undefined || properties._reason === reason.value,
  )
  const changed = all.filter(({ properties }) => corrected.value.has(properties._row))
  const isLoaded = task.state === 'COMPLETE'
  const loadOthers = async (): Promise<void> => {
    await act({ method: 'PUT', path, body: { task: { rejectLimit: rejected } } })
    if (error.value === undefined)
      await act({ method: 'POST', path: `/rest/imports/${importId}`, query: { async: true } })
  }
  const send = async (): Promise<void> => {
    const sent = changed.map((row) => withValue(row, corrected.value.get(row.properties._row) ?? ''))
    await act(sendCall(path, sent, task.layer?.srs))
    if (error.value === undefined) corrected.value = new Map()
  }
  return (
    <section class="panel" aria-label={texts.setAside(rejected)}>
      <header>
        <h2 class="full">{texts.setAside(rejected)}</h2>
        <CopyAsCurl call={requested} />
        <a class="btn sm" href={addressOf(`${path}/rejects?format=source`)} download>
          <Icon name="download" />
          {texts.download}
        </a>
        {isLoaded && <SendFile path={path} act={act} />}
      </header>
      <div class="body stack s3">
        <p>
          {texts.sums(rowsRead, rowsLoaded, task.mended ?? 0, rejected)}{' '}
          {isLoaded ? texts.inUse : texts.notLoaded}
        </p>
        {all.length < rejected && all.length > 0 && <p class="dim">{texts.firstOnes(all.length)}</p>}
        <Submission task={task} />
        {error.value !== undefined && (
          <div class="note bad" role="alert">
            <Icon name="bad" />
            <div dir="auto">{reasonOf(error.value)}</div>
          </div>
        )}
        {unread !== undefined && <Failed error={unread} onAgain={() => void rows.load()} />}
        {value === undefined && unread === undefined && <Loading />}
        <Reasons rows={all} chosen={reason} />
      </div>
      {shown.length > 0 && <RowsToCorrect rows={shown} mended={isLoaded ? corrected : undefined} />}
      <footer class="row">
        <p class="dim" role="status">
          {isLoaded && texts.correctionsOf(changed.length, rejected)}
        </p>
        <span class="grow" />
        {isLoaded ? (
          <button type="button" class="btn main" disabled={changed.length === 0} onClick={() => void send()}>
            {texts.send(changed.length)}
          </button>
        ) : (
          rejected < rowsRead && (
            <button type="button" class="btn main" onClick={() => void loadOthers()}>
              {texts.loadOthers(rowsRead - rejected)}
            </button>
          )
        )}
      </footer>
    </section>
  )
}

type Corrections = Signal<ReadonlyMap<number, string>>

/** The rows with their reasons; editable if `mended` is given. */
function RowsToCorrect({
  rows,
  mended: corrected,
}: {
  rows: RejectedRow[]
  mended: Corrections | undefined
}) {
  const texts = endTexts.value
  return (
    <div class="scroll correct-rows">
      <table class="rowcards">
        <thead>
          <tr>
            <th scope="col" class="num">
              {texts.row}
            </th>
            <th scope="col">{texts.reason}</th>
            <th scope="col">{texts.column}</th>
            <th scope="col">{texts.value}</th>
            <th scope="col">{texts.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <CorrectedRow key={row.properties._row} row={row} mended={corrected} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** One row with an editable rejected value; unchanged rows are not sent. */
function CorrectedRow({ row, mended: corrected }: { row: RejectedRow; mended: Corrections | undefined }) {
  const texts = endTexts.value
  const { _row, _field, _value, _reason } = row.properties
  const was = _value ?? ''
  const now = corrected?.value.get(_row)
  const isCorrectable = corrected !== undefined && _field !== null && Object.hasOwn(row.properties, _field)
  const change = (text: string): void => {
    const next = new Map(corrected?.value)
    if (text === was) next.delete(_row)
    else next.set(_row, text)
    if (corrected !== undefined) corrected.value = next
  }
  return (
    <tr>
      <td class="num">{shownNumber(_row)}</td>
      <td dir="auto">{_reason}</td>
      <td class="mono" dir="auto">
        {_field}
      </td>
      <td>
        {isCorrectable ? (
          <input
            class="in"
            dir="auto"
            aria-label={`${texts.rowNamed(_row)}, ${_field}`}
            aria-invalid={now === undefined}
            value={now ?? was}
            onInput={(event) => change(event.currentTarget.value)}
          />
        ) : (
          <span class="dim" dir="auto">
            {was.slice(0, 200)}
          </span>
        )}
      </td>
      <td>
        {now !== undefined ? (
          <span class="st ok">
            <Icon name="ok" />
            {texts.willBeSent}
          </span>
        ) : (
          <span class="dim">{isCorrectable || corrected === undefined ? texts.asItWas : texts.inFile}</span>
        )}
      </td>
    </tr>
  )
}

/** Number of rows by reason; selecting one filters the table. */
function Reasons({ rows, chosen }: { rows: RejectedRow[]; chosen: Signal<string | undefined> }) {
  const texts = endTexts.value
  const counts = new Map<string, number>()
  for (const { properties } of rows) counts.set(properties._reason, (counts.get(properties._reason) ?? 0) + 1)
  if (counts.size < 2) return null
  const chip = (label: string, count: number, reason: string | undefined) => (
    <button
      key={label}
      type="button"
      class="chip"
      aria-pressed={chosen.value === reason}
      onClick={() => {
        chosen.value = reason
      }}
    >
      <span dir="auto">{label}</span> {shownNumber(count)}
    </button>
  )
  return (
    <div class="chips">
      {chip(texts.allReasons, rows.length, undefined)}
      {[...counts].slice(0, 20).map(([reason, count]) => chip(reason, count, reason))}
    </div>
  )
}

/** Result of the last resubmitted rows. */
function Submission({ task: { mending: correcting } }: { task: Task }) {
  const texts = endTexts.value
  if (correcting === undefined) return null
  const { state, rows, errorMessage } = correcting
  if (state === 'ERROR')
    return (
      <div class="note bad" role="alert">
        <Icon name="bad" />
        <div dir="auto">{errorMessage ?? texts.correctionFailed}</div>
      </div>
    )
  if (rows === undefined) return null
  const { sent, loaded, rejected, refused } = rows
  return (
    <div class="note" role="status">
      <Icon name="info" />
      <div>{texts.sentLast(sent, loaded, rejected, refused)}</div>
    </div>
  )
}

function SendFile({ path, act }: { path: string; act(requested: Call): Promise<void> }) {
  const texts = endTexts.value
  const send = (file: File | undefined): void => {
    if (file === undefined) return
    const body = new FormData()
    body.append('filedata', file)
    void act({ method: 'POST', path: `${path}/rejects`, query: { async: true }, body })
  }
  return (
    <label class="btn sm">
      <Icon name="upload" />
      {texts.sendFile}
      <input type="file" class="vh" onChange={(event) => send(event.currentTarget.files?.[0])} />
    </label>
  )
}
