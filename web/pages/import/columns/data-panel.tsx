import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../../api/client.ts'
import { whenReady } from '../../../api/when-ready.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Failed, Loading, reasonOf } from '../../../components/states.tsx'
import { Resource } from '../../../lib/resource.ts'
import { query, setQuery } from '../../../lib/router.ts'
import { columnsTexts } from '../../../messages/import/texts.ts'
import type { Attribute, ColumnFigures, Task } from '../types.ts'
import { useAct } from '../use-act.ts'
import { chosenRow } from './chosen-row.ts'
import { ColumnHead } from './column-head.tsx'
import { RowPages } from './row-pages.ts'
import { RowsGrid } from './rows-grid.tsx'
import { loadTransformTypes, transformTypes } from './transform-types.ts'

interface DataPanelProps {
  path: string
  task: Task
  reload(): Promise<void>
}

const countingSeconds = 10

/** All rows as they will be loaded, below their columns. */
export function DataPanel({ path, task, reload }: DataPanelProps) {
  const texts = columnsTexts.value
  const { pages, figures } = useData(path, task)
  const { act, error } = useAct(reload)
  const changed = useSignal<string | undefined>(undefined)
  useEffect(loadTransformTypes, [])
  const attributes = task.layer?.attributes ?? []
  const change = (name: string, next: Attribute[]): void => {
    changed.value = name
    void act(attributesCall(path, next))
  }
  const { value } = figures.state.value
  const names = value?.columns.map((one) => one.name) ?? namesOf(pages)
  const byName = new Map(value?.columns.map((one) => [one.name, one]))
  const known = pages.known.value
  const counted = value?.rows?.whole === true ? (value.rows.counted ?? 0) : (value?.rows?.total ?? 0)
  const total = known.isWhole ? known.rows : Math.max(known.rows, counted)
  const rejected = value?.rows?.rejected ?? 0
  const isEmpty = known.isWhole && total === 0
  const chosen = numberIn(query.value.get('row'))
  useChosenRow(path, pages, task.layer?.srs === undefined ? undefined : chosen)
  return (
    <section class="panel data">
      <header>
        <h2>{texts.rows}</h2>
        {names.length > 0 && <span class="small dim">{texts.counts(total, names.length)}</span>}
        {rejected > 0 && <span class="st warn small">{texts.rejected(rejected)}</span>}
        <CopyAsCurl call={() => attributesCall(path, attributes)} />
      </header>
      {pages.error.value !== undefined && (
        <Failed error={pages.error.value} onAgain={() => pages.again(0, 1)} />
      )}
      {error.value !== undefined && (
        <p class="body err" role="alert">
          <Icon name="bad" />
          <span dir="auto">
            <b>{changed.value}</b>: {reasonOf(error.value)}
          </span>
        </p>
      )}
      <LeftOut
        columns={value?.leftOut ?? []}
        onBring={({ name, binding }) => change(name, [...attributes, { name, source: name, binding }])}
      />
      {names.length === 0 && pages.error.value === undefined && !isEmpty && <Loading />}
      {isEmpty && <p class="body dim">{texts.noRows}</p>}
      {(names.length > 0 || total > 0) && !isEmpty && (
        <RowsGrid
          pages={pages}
          names={names}
          total={Math.max(total, 1)}
          chosen={chosen}
          onChoose={(row) => setQuery({ row: String(row) })}
          head={(name) => (
            <ColumnHead
              name={name}
              figures={byName.get(name)}
              attribute={attributes.find((one) => one.name === name && one.source !== undefined)}
              classes={transformTypes.value?.classes ?? []}
              hasFailed={error.value !== undefined && changed.value === name}
              onChange={(how) =>
                change(
                  name,
                  how === 'leave'
                    ? attributes.filter((one) => one.name !== name)
                    : attributes.map((one) => (one.name === name ? { ...one, ...how } : one)),
                )
              }
            />
          )}
        />
      )}
    </section>
  )
}

/** Returns the request that sets the layer's attributes. */
function attributesCall(path: string, attributes: readonly Attribute[]): Call {
  return { method: 'PUT', path, body: { task: { layer: { attributes } } } }
}

/** Loads rows and statistics, again whenever the task changes. */
function useData(path: string, task: Task): { pages: RowPages; figures: Resource<ColumnFigures> } {
  const { layer, state, transformChain } = task
  const version = JSON.stringify([state, layer?.srs, layer?.attributes, transformChain])
  const [pages, figures] = useMemo(() => {
    const requested = { path: `${path}/columns`, query: { wait: countingSeconds } }
    const ask = (signal: AbortSignal): Promise<ColumnFigures> =>
      whenReady(() => call<ColumnFigures>(requested, signal), signal)
    return [new RowPages(path), new Resource(ask)] as const
  }, [path, version])
  useEffect(() => {
    pages.show(0, 1)
    void figures.load()
    return () => {
      pages.stop()
      figures.stop()
    }
  }, [pages, figures])
  const { value } = figures.state.value
  useEffect(() => {
    // The question waits for what is counted meanwhile.
    if (value?.rows?.whole === false) void figures.load()
  }, [value, figures])
  return { pages, figures }
}

/** Selects the chosen row on the map once it is loaded. */
function useChosenRow(path: string, pages: RowPages, id: number | undefined): void {
  const known = pages.pages.value
  useEffect(() => {
    const row = id === undefined ? undefined : [...known.values()].flat().find((one) => Number(one.id) === id)
    if (row !== undefined) chosenRow.value = { path, row }
    else if (id === undefined) chosenRow.value = undefined
  }, [path, known, id])
}

/** Returns the columns of the first rows, which are shown until the statistics arrive. */
function namesOf(pages: RowPages): string[] {
  const first = pages.pages.value.get(0) ?? []
  return [...new Set(first.slice(0, 20).flatMap((row) => Object.keys(row.properties)))]
}

function numberIn(text: string | null): number | undefined {
  const value = Number(text ?? '')
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}

type LeftOutColumn = NonNullable<ColumnFigures['leftOut']>[number]
const maxNamed = 40

/** Columns of the data that do not come. */
function LeftOut({
  columns,
  onBring,
}: {
  columns: readonly LeftOutColumn[]
  onBring(column: LeftOutColumn): void
}) {
  const texts = columnsTexts.value
  if (columns.length === 0) return null
  return (
    <div class="left-out">
      <span class="small dim">{texts.leftOut(columns.length)}</span>
      <ul class="row wrap">
        {columns.slice(0, maxNamed).map((one) => (
          <li key={one.name}>
            <button
              type="button"
              class="btn sm"
              aria-label={texts.bringAgain(one.name)}
              onClick={() => onBring(one)}
            >
              <Icon name="plus" />
              <span class="cut" dir="auto">
                {one.name}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
