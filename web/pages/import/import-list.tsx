import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { query } from '../../lib/router.ts'
import { historyTexts, importTexts } from '../../messages/import/texts.ts'
import { HistoryFilters } from './history/history-filters.tsx'
import { type Counts, filters, historyCall, pastImports } from './history/past-imports.ts'
import { PastList } from './history/past-list.tsx'

/** `/app/imports?q=&state=&who=&from=&to=`: every import that is still known, the latest first. */
export function ImportListPage() {
  const texts = importTexts.value
  const counts = useSignal<Counts | undefined>(undefined)
  const requested = JSON.stringify(historyCall())
  const rows = useMemo(
    () =>
      pastImports(historyCall(), (now) => {
        counts.value = now
      }),
    [requested],
  )
  useEffect(() => {
    rows.load()
    return () => rows.stop()
  }, [rows])
  const [total, error] = [rows.total.value, rows.error.value]
  const isNarrowed = filters.some((name) => query.value.has(name))
  return (
    <>
      <div class="head">
        <h1>{texts.history}</h1>
        <div class="acts">
          <CopyAsCurl call={historyCall} />
          <a class="btn main" href={addressOf('/app/import')}>
            {texts.startTitle}
          </a>
        </div>
      </div>
      {(total !== 0 || isNarrowed) && <HistoryFilters counts={counts.value} total={total} />}
      {error !== undefined && <Failed error={error} onAgain={() => rows.load()} />}
      {total === undefined && error === undefined && <Loading />}
      {total === 0 && <Empty title={isNarrowed ? historyTexts.value.noneFound : texts.none}>{null}</Empty>}
      {total !== undefined && total > 0 && <PastList key={requested} rows={rows} total={total} />}
    </>
  )
}
