import { callAddress } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { query, setQuery } from '../../lib/router.ts'
import { auditTexts } from '../../messages/audit/texts.ts'
import { auditCall, auditLog, auditTerms, maxInCsv, termNames } from './audit-entries.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { Frame } from './frame.tsx'
import { useList } from './listing.ts'
import { Seals } from './seals.tsx'

/** `/app/audit`: the audit log, for administrators. */
export function AuditPage() {
  const texts = auditTexts.value
  const requested = auditCall()
  useList(auditLog, requested)
  const list = auditLog.state.value
  const entries = list.value?.entries ?? []
  const dropped = list.value?.dropped ?? 0
  return (
    <Frame
      place="audit"
      lead={texts.lead}
      requested={requested}
      more={<CsvLink />}
      isSearched={false}
      filters={
        <>
          <Seals />
          <AuditFilters />
        </>
      }
      list={list}
      onAgain={() => void auditLog.load()}
    >
      {dropped > 0 && (
        <p class="note warn">
          <Icon name="warn" />
          <span>{texts.dropped(dropped)}</span>
        </p>
      )}
      {entries.length === 0 ? <NoEntries /> : <AuditTable entries={entries} />}
      <Paging total={entries.length} next={list.value?.next} />
    </Frame>
  )
}

/** All entries that match the filters, not only those of this page. */
function CsvLink() {
  const href = callAddress({
    path: '/rest/audit',
    query: { ...auditTerms(), format: 'csv', limit: maxInCsv },
  })
  return (
    <a class="btn" href={href} download="audit.csv">
      <Icon name="download" />
      {auditTexts.value.csv}
    </a>
  )
}

function NoEntries() {
  const texts = auditTexts.value
  const isFiltered = termNames.some((name) => query.value.has(name))
  return (
    <div class="panel state">
      <h2>{isFiltered ? texts.none : texts.empty}</h2>
    </div>
  )
}

function Paging({ total, next }: { total: number; next: string | undefined }) {
  const texts = auditTexts.value
  const isFirst = !query.value.has('after')
  if (isFirst && next === undefined) return null
  const go = (after: string | undefined): void => {
    setQuery({ after }, { isReplaced: false })
    scrollTo(0, 0)
  }
  return (
    <nav class="row paging" aria-label={texts.paging}>
      <span class="dim small grow" role="status">
        {texts.shown(total)}
      </span>
      <button type="button" class="btn sm" disabled={isFirst} onClick={() => go(undefined)}>
        {texts.newest}
      </button>
      <button type="button" class="btn sm" disabled={next === undefined} onClick={() => go(next)}>
        {texts.older}
      </button>
    </nav>
  )
}
