import { type Call, call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { shownShare, shownWeekday } from '../../components/formats.ts'
import { reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { type Amount, amountsBy, askMetric } from './ask-metric.ts'

type State = Calls['GET /rest/state']['answer']['state']
type Today = NonNullable<State['requests']>

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** Returns the request for the numbers of the summary. */
export function stateCall(isWithPages: boolean): Call {
  return { path: '/rest/state', query: { zone, ...(isWithPages && { traffic: 'all' }) } }
}

const firstFailure = 400
/** Status of a request whose client disconnected before the response. */
const clientGone = 499

/** True if a status counts as failed: the same definition for all numbers of the page. */
export function hasFailed(status = ''): boolean {
  return Number(status) >= firstFailure && Number(status) !== clientGone
}

interface UsageSummary {
  requests: Today
  mostRequested?: Amount
  mostFailed?: Amount
}

/** Loads today's requests, and the layers with the most requests and failures. */
async function askToday(isWithPages: boolean, signal: AbortSignal): Promise<UsageSummary | undefined> {
  const { state } = await call<{ state: State }>(stateCall(isWithPages), signal)
  if (state.requests === undefined) return undefined
  const { today } = state.requests
  const window = { from: Date.parse(today.from), to: Date.parse(today.to) }
  const first = async (
    count: number,
    isCounted: (status: string) => boolean,
  ): Promise<Amount | undefined> => {
    if (count === 0 || window.to <= window.from) return undefined
    const filters = { group_by: 'resource', resource_type: 'layer', isWithoutPages: !isWithPages } as const
    const { rows, type } = await askMetric('response.status', [window], filters, signal)
    const counted = (rows[0] ?? []).filter(({ label = '' }) => isCounted(label))
    return amountsBy(counted, 'resource', type).find(({ value }) => value > 0)
  }
  const [mostRequested, mostFailed] = await Promise.all([
    first(today.requests, () => true),
    first(today.failed, hasFailed),
  ])
  return { requests: state.requests, mostRequested, mostFailed }
}

/** Summary of today's usage in words. */
export function Sentence({ at, isWithPages }: { at: number; isWithPages: boolean }) {
  const texts = usageTexts.value
  const { value, error } = useAnswer(
    `today ${at} ${isWithPages}`,
    (signal) => askToday(isWithPages, signal),
    `today ${isWithPages}`,
  ).state.value
  if (value === undefined) return <p class="lead dim">{error === undefined ? '\u00a0' : reasonOf(error)}</p>
  const { requests, mostRequested, mostFailed } = value
  const { today } = requests
  return (
    <p class="lead">
      {texts.requests(today.requests)}
      {comparedText(requests)}{' '}
      <span class="dim">
        {mostRequested !== undefined && (
          <>
            {texts.mostRequested(shownShare(mostRequested.value / today.requests))}{' '}
            <LayerLink name={mostRequested.name} />.{' '}
          </>
        )}
        {today.requests > 0 && (today.failed === 0 ? texts.noneFailed : texts.failed(today.failed))}
        {mostFailed !== undefined && (
          <>
            {texts.failedOf(mostFailed.value)} <LayerLink name={mostFailed.name} />
          </>
        )}
        {today.failed > 0 && '.'}
      </span>
    </p>
  )
}

export function layerAddress(name: string): string {
  return addressOf(`/app/layers/${encodeURIComponent(name)}`)
}

function LayerLink({ name }: { name: string }) {
  return (
    <a href={layerAddress(name)} dir="auto">
      {name.slice(0, 120)}
    </a>
  )
}

function comparedText({ today, weekAgo }: Today): string {
  const texts = usageTexts.value
  if (weekAgo.requests === 0) return texts.noneBefore
  const day = shownWeekday(new Date(weekAgo.to))
  const change = today.requests / weekAgo.requests - 1
  const share = shownShare(Math.abs(change))
  if (Math.abs(change) < 0.005) return texts.same(day)
  return change > 0 ? texts.more(share, day) : texts.fewer(share, day)
}
