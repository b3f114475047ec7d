import { useComputed } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { whenReady } from '../../api/when-ready.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { PagedRows } from '../../lib/paged-rows.ts'
import { filterTexts } from '../../messages/layer/filter/texts.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { requestedFilter } from './filter/requested-filter.ts'
import { type LayerView, lookedAt, type Row, requestedBox, setBox } from './layer-view.ts'
import { requestedSort } from './requested-sort.ts'
import { sortParameter } from './row-order.ts'
import { RowsGrid } from './rows-grid.tsx'

interface Items {
  features: Row[]
  numberMatched: number
}

interface LayerRowsProps {
  id: string
  /** Columns in their order. */
  names: readonly string[]
  numbers: ReadonlySet<string>
  /** Columns that rows can be ordered by. */
  sortable: ReadonlySet<string>
  /** True if rows have geometries. */
  isOnMap: boolean
  /** Name of what the table does not show. */
  geometry: string | undefined
  view: LayerView
}

/** All rows of a layer, or those that lie in what the map shows. */
export function LayerRows({ id, names, numbers, sortable, isOnMap, geometry, view }: LayerRowsProps) {
  const texts = layerTexts.value
  const version = lookedAt()
  const bbox = isOnMap ? requestedBox()?.join(',') : undefined
  const filter = requestedFilter()
  const sort = requestedSort()
  const sortby = sort && sortable.has(sort.column) ? sortParameter(sort) : undefined
  const requested = (offset: number, limit: number): Call => ({
    path: `/ogc/collections/${encodeURIComponent(id)}/items`,
    query: {
      limit,
      offset,
      bbox,
      filter,
      sortby,
      version,
      'exclude-properties': geometry && quoted(geometry),
    },
  })
  const rows = useMemo(
    () =>
      new PagedRows<Row>(async (offset, limit, aborted) => {
        const { features, numberMatched } = await whenReady(
          () => call<Items>(requested(offset, limit), aborted),
          aborted,
        )
        return { rows: features, total: numberMatched }
      }),
    [id, bbox, filter, sortby, version],
  )
  useEffect(() => {
    rows.load()
    return () => rows.stop()
  }, [rows])
  useFollowing(isOnMap && bbox !== undefined, view)
  const total = useTotal(rows, `${id} ${bbox} ${filter} ${version}`)
  const error = rows.error.value
  return (
    <section class="panel lay-table" aria-label={texts.table}>
      <header>
        <h2>{texts.table}</h2>
        {total !== undefined && (
          <span class="dim small" role="status">
            {bbox !== undefined
              ? texts.inSight(total)
              : filter !== undefined
                ? filterTexts.value.found(total)
                : texts.rows(total)}
          </span>
        )}
        {isOnMap && (
          <label class="check">
            <input
              type="checkbox"
              checked={bbox !== undefined}
              onChange={({ currentTarget }) => {
                setBox(currentTarget.checked ? (view.inSight.peek() ?? [-180, -90, 180, 90]) : undefined)
              }}
            />
            <span>{texts.onlyInSight}</span>
          </label>
        )}
        <CopyAsCurl call={() => requested(0, 50)} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => rows.load()} />}
      {total === undefined && error === undefined && <Loading />}
      {total === 0 && <NoRows isInSight={bbox !== undefined} isFiltered={filter !== undefined} />}
      {total !== undefined && total > 0 && (
        <RowsGrid {...{ rows, total, names, numbers, sortable }} chosen={view.chosen} />
      )}
    </section>
  )
}

function NoRows({ isInSight, isFiltered }: { isInSight: boolean; isFiltered: boolean }) {
  const { noneInSight, noRows } = layerTexts.value
  return (
    <div class="state">
      <Icon name="table" />
      <p>{isInSight ? noneInSight : isFiltered ? filterTexts.value.noneFound : noRows}</p>
    </div>
  )
}

/** Quotes a name for a list of names. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The box in the address is what the map shows. */
function useFollowing(isFollowing: boolean, view: LayerView): void {
  const edges = useComputed(() => view.inSight.value?.join(','))
  useEffect(() => {
    const now = view.inSight.peek()
    if (isFollowing && now !== undefined) setBox(now)
  }, [isFollowing, edges.value])
}

/**
 * Returns the number of rows; remains known while the order changes, so that the table and its focus stay.
 */
function useTotal(rows: PagedRows<Row>, of: string): number | undefined {
  const last = useRef<{ of: string; total: number } | undefined>(undefined)
  const total = rows.total.value
  if (total !== undefined) last.current = { of, total }
  return last.current?.of === of ? last.current.total : undefined
}
