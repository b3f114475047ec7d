import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { shownNumber } from '../../components/formats.ts'
import { Failed, Loading, Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { manageTexts } from '../../messages/manage/texts.ts'
import { closeDialog } from './row-acts.tsx'

type Table = Calls['GET /rest/workspaces/{workspace}/datastores/{store}/tables']['answer']['tables'][number]
type Raster =
  Calls['GET /rest/workspaces/{workspace}/coveragestores/{store}/rasters']['answer']['rasters'][number]

/** A table or raster of a store, as listed. */
interface Row {
  name: string
  /** Kind of a table that is not a plain table. */
  tag?: string
  detail: string
  rows: number | null
  published: string | null
  problems: { code: string; message: string; sql?: string }[]
}
type Published = Calls['POST /rest/workspaces/{workspace}/datastores/{store}/tables']['answer']

/** Tables shown at once; the filter finds the others. */
const maxShown = 100

interface StoreTablesProps {
  workspace: string
  store: string
  /** Path of the store in the API. */
  path: string
  onDone(): Promise<void>
}

/** Tables or rasters of a store, each with its layer or a button that publishes it. */
export function StoreTables({ workspace, store, path, onDone }: StoreTablesProps) {
  const isRaster = path.includes('/coveragestores/')
  const texts = { ...manageTexts.value.tables, ...(isRaster ? manageTexts.value.rasters : {}) }
  const listPath = `${path}/${isRaster ? 'rasters' : 'tables'}`
  const known = useMemo(
    () => new Resource((signal) => (isRaster ? readRasters(listPath, signal) : readTables(listPath, signal))),
    [path],
  )
  useEffect(() => {
    void known.load()
    return () => known.stop()
  }, [known])
  const [words, setWords] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  const { value, error } = known.state.value
  const found = (value ?? []).filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
  const waiting = found.filter(({ published }) => published === null)
  const publish = async (tables: readonly Row[]): Promise<void> => {
    setBusy(true)
    setRefusal(undefined)
    try {
      const { published, failed } = await call<Published>(requestFor(path, isRaster, tables))
      if (published.length > 0) say(texts.done(published.length))
      if (failed.length > 0)
        setRefusal(new Error(failed.map(({ table, reason }) => `${table}: ${reason}`).join('\n')))
      await Promise.all([known.load(), onDone()])
    } catch (reason) {
      setRefusal(reason)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={texts.title(store)} isWide={true} onClose={closeDialog}>
      <div class="stack">
        <p class="dim">{texts.lead}</p>
        {value === undefined && error === undefined && <Loading />}
        {error !== undefined && <Failed error={error} onAgain={() => void known.load()} />}
        {value !== undefined && value.length === 0 && <p class="dim">{texts.none}</p>}
        {value !== undefined && value.length > 0 && (
          <>
            <div class="row wrap">
              <input
                class="in grow"
                type="search"
                aria-label={texts.find}
                placeholder={texts.find}
                value={words}
                onInput={(event) => setWords(event.currentTarget.value)}
              />
              {waiting.length > 1 && (
                <PublishAll isBusy={isBusy} onClick={() => void publish(waiting)}>
                  {texts.publishAll(waiting.length)}
                </PublishAll>
              )}
            </div>
            <TableList
              tables={found.slice(0, maxShown)}
              workspace={workspace}
              isRaster={isRaster}
              isBusy={isBusy}
              onPublish={(table) => void publish([table])}
            />
            {found.length > maxShown && <p class="dim">{texts.more(found.length - maxShown)}</p>}
          </>
        )}
        <Refused error={refusal} />
        <div class="row wrap form-end">
          <CopyAsCurl call={{ path: listPath }} />
          <button type="button" class="btn" onClick={closeDialog}>
            {manageTexts.value.access.close}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function PublishAll(props: { isBusy: boolean; onClick(): void; children: string }) {
  const { isBusy, onClick, children } = props
  return (
    <button type="button" class={`btn${isBusy ? ' busy' : ''}`} disabled={isBusy} onClick={onClick}>
      {children}
    </button>
  )
}

async function readTables(path: string, signal: AbortSignal): Promise<Row[]> {
  const texts = manageTexts.value.tables
  const { tables } = await call<{ tables: Table[] }>({ path }, signal)
  return tables.map(({ name, kind, geometry, rows, published, problems }) => ({
    name,
    rows,
    published,
    problems,
    tag: kind === 'table' ? undefined : texts.kinds[kind],
    detail:
      geometry === null
        ? texts.noGeometry
        : `${geometry.type}${geometry.srs === null ? '' : `, ${geometry.srs}`}`,
  }))
}

async function readRasters(path: string, signal: AbortSignal): Promise<Row[]> {
  const { rasters } = await call<{ rasters: Raster[] }>({ path }, signal)
  return rasters.map(({ name, width, height, bands, srs, published, problems }) => ({
    name,
    published,
    problems,
    rows: null,
    detail: width === null ? '–' : manageTexts.value.rasters.size(width, height ?? 0, bands.length, srs),
  }))
}

function requestFor(path: string, isRaster: boolean, tables: readonly Row[]): Call {
  const featureType = tables.map(({ name }) => ({ nativeName: name }))
  if (isRaster)
    return { method: 'POST', path: `${path}/coverages`, body: { coverages: { coverage: featureType } } }
  return { method: 'POST', path: `${path}/featuretypes`, body: { featureTypes: { featureType } } }
}

interface TableListProps {
  tables: readonly Row[]
  isRaster: boolean
  workspace: string
  isBusy: boolean
  onPublish(table: Row): void
}

function TableList({ tables, isRaster, workspace, isBusy, onPublish }: TableListProps) {
  const texts = { ...manageTexts.value.tables, ...(isRaster ? manageTexts.value.rasters : {}) }
  return (
    <section class="scroll" aria-label={texts.tables}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.table}</th>
            <th>{texts.geometry}</th>
            {!isRaster && <th class="num">{texts.rows}</th>}
            <th>{texts.layer}</th>
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => (
            <tr key={table.name}>
              <td>
                <b dir="auto">{table.name}</b>{' '}
                {table.tag !== undefined && <span class="tag">{table.tag}</span>}
                <Problems table={table} />
              </td>
              <td data-l={texts.geometry}>{table.detail}</td>
              {!isRaster && (
                <td class="num nowrap" data-l={texts.rows}>
                  {table.rows === null ? '–' : texts.about(shownNumber(table.rows))}
                </td>
              )}
              <td data-l={texts.layer}>
                {table.published === null ? (
                  <button type="button" class="btn sm" disabled={isBusy} onClick={() => onPublish(table)}>
                    {texts.publish}
                    <span class="vh"> {table.name}</span>
                  </button>
                ) : (
                  <a href={addressOf(`/app/layers/${encodeURIComponent(`${workspace}:${table.published}`)}`)}>
                    {table.published}
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Problems of a table with the statements that help. */
function Problems({ table: { problems } }: { table: Row }) {
  const texts = manageTexts.value.tables
  if (problems.length === 0) return null
  return (
    <details class="small">
      <summary>{texts.problems(problems.length)}</summary>
      <ul class="stack">
        {problems.map(({ code, message, sql }) => (
          <li key={`${code} ${message}`}>
            <span dir="auto">{message}</span>
            {sql !== undefined && <pre class="code">{sql}</pre>}
          </li>
        ))}
      </ul>
    </details>
  )
}
