import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { query } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import { isStaff } from '../../session/session.ts'
import { choicesOf, windowsOf } from './choices.ts'
import { Exceptions } from './exceptions.tsx'
import { FailedRequests } from './failed-requests.tsx'
import { askIsEmpty } from './gaps.ts'
import { isHost, metrics, services } from './metrics.ts'
import { MonitoredServices } from './monitored-services.tsx'
import { Rankings } from './rankings.tsx'
import { Sentence, stateCall } from './sentence.tsx'
import { SeriesPanel } from './series-panel.tsx'
import { WeekPanel } from './week-panel.tsx'
import { WindowChoices } from './window-choices.tsx'

const refreshMs = 60_000

/** `/app/usage`: usage, from a summary to every stored number. */
export function UsagePage() {
  const texts = usageTexts.value
  const now = useSignal(Date.now())
  useEffect(() => {
    void metrics.load()
    void services.load()
    const timer = setInterval(() => {
      if (!document.hidden) now.value = Date.now()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [])
  const choices = useMemo(() => choicesOf(query.value), [query.value])
  // A window that does not end now stays what it is while the page is open.
  const windows = useMemo(() => windowsOf(choices, now.value), [choices, now.value])
  const empty = useAnswer(`empty ${now.value}`, askIsEmpty, 'empty')
  const { value: known, error } = metrics.state.value
  const { value: watched, error: unwatched } = services.state.value
  if (known === undefined || watched === undefined) {
    const failure = error ?? unwatched
    if (failure === undefined) return <Loading />
    const again = (): void => {
      void metrics.load()
      void services.load()
    }
    return <Failed error={failure} onAgain={again} />
  }
  const metric =
    known.find(({ name }) => name === choices.metric) ?? known.find(({ name }) => name === 'request.count')
  if (metric === undefined) return <Empty title={texts.emptyTitle}>{texts.empty}</Empty>
  const shared = { choices, windows, at: now.value }
  const isBare = empty.value === true && !metric.isOfHosts
  return (
    <>
      <div class="head">
        <div>
          <h1 class="vh">{texts.title}</h1>
          <Sentence at={now.value} isWithPages={choices.isWithPages} />
        </div>
        <div class="acts">
          <a class="btn" href={addressOf('/app/usage/report')}>
            {texts.toReport}
          </a>
          <CopyAsCurl call={stateCall(choices.isWithPages)} />
        </div>
      </div>
      <WindowChoices {...shared} />
      <div class="stack">
        {isBare ? (
          <div class="panel">
            <Empty title={texts.emptyTitle}>
              <p class="dim">{texts.empty}</p>
              <a class="btn" href={addressOf('/')}>
                {texts.toLayers}
              </a>
            </Empty>
          </div>
        ) : (
          <>
            <SeriesPanel {...shared} metric={metric} known={known} services={watched} />
            <Rankings {...shared} />
            <div class="useg even">
              <WeekPanel {...shared} />
              <FailedRequests {...shared} />
            </div>
          </>
        )}
        {isStaff.value ? <Exceptions {...shared} /> : <p class="small dim">{texts.exceptionsForStaff}</p>}
        <MonitoredServices services={watched} at={now.value} isOwn={(one) => !isHost(one)} />
      </div>
    </>
  )
}
