import { shownShare, shownWeekday } from '../../components/formats.ts'
import { reasonOf } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import type { State } from './state.ts'
import { state } from './state.ts'

/** Summary of the server's state in words, as far as the caller may know it. */
export function Sentence() {
  const { value, error } = state.state.value
  if (value === undefined) return <p class="lead dim">{error === undefined ? '\u00a0' : reasonOf(error)}</p>
  const texts = homeTexts.value
  const { layers, requests, alerts, imports } = value
  const { total, problems } = layers
  const waiting = imports?.tasks['NO_CRS'] ?? 0
  return (
    <p class="lead">
      {problems === undefined
        ? texts.publicLayers(total)
        : problems === 0
          ? texts.allWell(total)
          : texts.someWell(total, total - problems)}{' '}
      <span class="dim">
        {requests !== undefined && requestsText(requests)}
        {(alerts?.raised ?? 0) > 0 && ` ${texts.alerts(alerts?.raised ?? 0)}`}
        {waiting > 0 && ` ${texts.waitForCrs(waiting)}`}
      </span>
      {(problems ?? 0) > 0 && (
        <>
          {' '}
          <a href={addressOf('/?problem=true')}>{texts.needsLook(problems ?? 0)}</a>.
        </>
      )}
    </p>
  )
}

/** Compares today's requests with those a week ago at this time of day. */
function requestsText({ today, weekAgo }: NonNullable<State['requests']>): string {
  const texts = homeTexts.value
  const failed = today.failed === 0 ? '' : ` ${texts.failed(today.failed)}`
  const reported = texts.requests(today.requests)
  if (weekAgo.requests === 0) return `${reported}${texts.noneBefore}${failed}`
  const day = shownWeekday(new Date(weekAgo.to))
  const change = today.requests / weekAgo.requests - 1
  const share = shownShare(Math.abs(change))
  const compared =
    Math.abs(change) < 0.005 ? texts.same(day) : change > 0 ? texts.more(share, day) : texts.fewer(share, day)
  return `${reported}${compared}${failed}`
}
