import { addressOf } from '../../lib/base.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { shownShare, shownWeekday } from '../../parts/formats.ts'
import { reasonOf } from '../../parts/states.tsx'
import { call } from '../../wire/client.ts'
import type { Calls } from '../../wire/openapi.d.ts'
import { type Amount, amountsBy, askMetric } from './ask-metric.ts'
import { useAnswer } from './use-answer.ts'

type State = Calls['GET /rest/state']['answer']['state']
type Today = NonNullable<State['requests']>

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

interface Told {
  requests: Today
  mostAsked?: Amount
  mostFailed?: Amount
}

/** Requests of today, and the layers that most of them and of the failed ones are about. */
async function askToday(signal: AbortSignal): Promise<Told | undefined> {
  const { state } = await call<{ state: State }>({ path: '/rest/state', query: { zone } }, signal)
  if (state.requests === undefined) return undefined
  const { today } = state.requests
  const window = { from: Date.parse(today.from), to: Date.parse(today.to) }
  const first = async (metric: string, count: number): Promise<Amount | undefined> => {
    if (count === 0 || window.to <= window.from) return undefined
    const filters = { group_by: 'resource', resource_type: 'layer', service_type: 'app' } as const
    const { rows, type } = await askMetric(metric, [window], filters, signal)
    return amountsBy(rows[0] ?? [], 'resource', type).find(({ value }) => value > 0)
  }
  const [mostAsked, mostFailed] = await Promise.all([
    first('request.count', today.requests),
    first('response.error.count', today.failed),
  ])
  return { requests: state.requests, ...(mostAsked && { mostAsked }), ...(mostFailed && { mostFailed }) }
}

/** What a colleague would say of the use of today. */
export function Sentence({ at }: { at: number }) {
  const texts = usageTexts.value
  const { value, error } = useAnswer(`today ${at}`, askToday, 'today').state.value
  if (value === undefined) return <p class="lead dim">{error === undefined ? '\u00a0' : reasonOf(error)}</p>
  const { requests, mostAsked, mostFailed } = value
  const { today } = requests
  return (
    <p class="lead">
      {texts.requests(today.requests)}
      {comparedText(requests)}{' '}
      <span class="dim">
        {mostAsked !== undefined && (
          <>
            {texts.mostAsked(shownShare(mostAsked.value / today.requests))}{' '}
            <LayerLink name={mostAsked.name} />.{' '}
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
