import { useMemo } from 'preact/hooks'
import { call, callAddress } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { query, setQuery } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { reportTexts } from '../../messages/report/texts.ts'
import type { Report } from './report-query.ts'
import { comparisons, groupings, type ReportChoices, reportCall, reportChoices } from './report-query.ts'
import { ReportTable } from './report-table.tsx'
import { UnusedLayers } from './unused-layers.tsx'

/** `/app/usage/report`: who used what in a month, as a table to print or to send. */
export function ReportPage() {
  const texts = reportTexts.value
  const choices = useMemo(() => reportChoices(query.value), [query.value])
  const requested = reportCall(choices)
  const answer = useAnswer(JSON.stringify(requested), (signal) => call<{ report: Report }>(requested, signal))
  const { value, error } = answer.state.value
  return (
    <div class="usage-report">
      <div class="head">
        <div>
          <p class="small">
            <a href={addressOf('/app/usage')}>{texts.toUsage}</a>
          </p>
          <h1>
            {texts.title} {choices.from === choices.to ? choices.from : `${choices.from} – ${choices.to}`}
          </h1>
        </div>
        <div class="acts">
          <CopyAsCurl call={requested} />
          <button type="button" class="btn primary" onClick={() => window.print()}>
            {texts.print}
          </button>
        </div>
      </div>
      <Choices choices={choices} />
      {error !== undefined && <Failed error={error} onAgain={() => void answer.load()} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <div class="stack">
          <Facts report={value.report} />
          <ReportTable report={value.report} />
          <UnusedLayers report={value.report} />
        </div>
      )}
    </div>
  )
}

function Choices({ choices }: { choices: ReportChoices }) {
  const texts = reportTexts.value
  const link = (format: string) => callAddress(reportCall(choices, format))
  return (
    <div class="bar-filter report-choices">
      <Month name="from" label={texts.from} value={choices.from} />
      <Month name="to" label={texts.to} value={choices.to} />
      <Select name="by" label={texts.by} value={choices.by} options={groupings} captions={texts.groupings} />
      <Select
        name="compare"
        label={texts.compare}
        value={choices.compare}
        options={comparisons}
        captions={texts.comparisons}
      />
      <nav class="report-files small" aria-label={texts.downloads}>
        <a href={link('csv')} download>
          {texts.downloadCsv}
        </a>
        <a href={link('counter')} download>
          {texts.counter}
        </a>
        <a href={link('inspire')} download>
          {texts.inspire}
        </a>
      </nav>
    </div>
  )
}

function Month({ name, label, value }: { name: 'from' | 'to'; label: string; value: string }) {
  return (
    <label class="report-choice">
      <span class="small dim">{label}</span>
      <input
        class="in"
        type="month"
        value={value}
        placeholder="2026-10"
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value || undefined })}
      />
    </label>
  )
}

interface SelectProps {
  name: string
  label: string
  value: string
  options: readonly string[]
  captions: Record<string, string>
}

function Select({ name, label, value, options, captions }: SelectProps) {
  return (
    <label class="report-choice">
      <span class="small dim">{label}</span>
      <select
        class="in"
        value={value}
        onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
      >
        {options.map((one) => (
          <option key={one} value={one}>
            {captions[one] ?? one}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Zone, first counted day, and what the numbers do not have. */
function Facts({ report }: { report: Report }) {
  const texts = reportTexts.value
  const { since, before, complete, sumsToTotal, notKnown, zone } = report
  const lines = [
    `${texts.zone(zone)}${since === null ? '' : `, ${texts.since(since)}`}. ${texts.visitsNote}`,
    ...(before === null ? [] : [texts.comparedWith(before.from, before.to)]),
    ...(complete ? [] : [texts.incomplete]),
    ...(sumsToTotal ? [] : [texts.overlaps]),
    ...notKnown.map(({ figure, reason }) => texts.notKnown(figure, reason)),
  ]
  return (
    <ul class="small dim report-facts">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
