import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { PagedRows } from '../../lib/paged-rows.ts'
import { filterTexts } from '../../messages/layer/filter/texts.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { type Call, call } from '../../wire/client.ts'
import { whenReady } from '../../wire/when-ready.ts'
import { wantedFilter } from './filter/wanted-filter.ts'
import { type LayerView, lookedAt, type Row, setBox, wantedBox } from './layer-view.ts'
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
  /** Whether rows lie somewhere. */
  isOnMap: boolean
  view: LayerView
}

/** All rows of a layer, or those that lie in what the map shows. */
export function LayerRows({ id, names, numbers, isOnMap, view }: LayerRowsProps) {
  const texts = layerTexts.value
  const version = lookedAt()
  const bbox = isOnMap ? wantedBox()?.join(',') : undefined
  const filter = wantedFilter()
  const asked = (offset: number, limit: number): Call => ({
    path: `/ogc/collections/${encodeURIComponent(id)}/items`,
    query: { limit, offset, bbox, filter, version },
  })
  const rows = useMemo(
    () =>
      new PagedRows<Row>(async (offset, limit, aborted) => {
        const { features, numberMatched } = await whenReady(
          () => call<Items>(asked(offset, limit), aborted),
          aborted,
        )
        return { rows: features, total: numberMatched }
      }),
    [id, bbox, filter, version],
  )
  useEffect(() => {
    rows.load()
    return () => rows.stop()
  }, [rows])
  useFollowing(isOnMap && bbox !== undefined, view)
  const total = rows.total.value
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
        <CopyAsCurl call={() => asked(0, 50)} />
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => rows.load()} />}
      {total === undefined && error === undefined && <Loading />}
      {total === 0 && (
        <div class="state">
          <Icon name="table" />
          <p>
            {bbox !== undefined
              ? texts.noneInSight
              : filter !== undefined
                ? filterTexts.value.noneFound
                : texts.noRows}
          </p>
        </div>
      )}
      {total !== undefined && total > 0 && (
        <RowsGrid rows={rows} total={total} names={names} numbers={numbers} chosen={view.chosen} />
      )}
    </section>
  )
}

/** The box in the address is what the map shows. */
function useFollowing(isFollowing: boolean, view: LayerView): void {
  const edges = useComputed(() => view.inSight.value?.join(','))
  useEffect(() => {
    const now = view.inSight.peek()
    if (isFollowing && now !== undefined) setBox(now)
  }, [isFollowing, edges.value])
}
