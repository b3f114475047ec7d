import { useEffect } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { alertTexts } from '../../messages/alerts/texts.ts'
import { isStaff } from '../../session/session.ts'
import { AlertOne } from './alert-one.tsx'
import type { AlertSubjects } from './alert-subjects.ts'
import { known } from './alert-subjects.ts'
import { NewAlert } from './new-alert.tsx'
import type { Alerts, Listed } from './types.ts'
import { alerts } from './types.ts'

const refreshMs = 30_000

/** `/app/alerts` and `/app/alerts/<id>`: conditions, current problems and receivers. */
export function AlertsPage({ id }: Record<string, string>) {
  const texts = alertTexts.value
  useEffect(() => {
    void alerts.load()
    void known.load()
    const timer = setInterval(() => void (document.hidden || alerts.load()), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const { value, error } = alerts.state.value
  const { value: about, error: unknown } = known.state.value
  if (value === undefined || about === undefined) {
    const failure = error ?? unknown
    if (failure === undefined) return <Loading />
    const again = (): void => {
      void alerts.load()
      void known.load()
    }
    return <Failed error={failure} onAgain={again} />
  }
  return (
    <>
      <div class="head">
        <div>
          <h1>{texts.title}</h1>
          <p class="dim">{sumsOf(value)}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={{ path: '/monitoring/api/status' }} />
          {isStaff.value && (
            <a class="btn main" href={addressOf('/app/alerts/new')}>
              <Icon name="plus" />
              {texts.newAlert}
            </a>
          )}
        </div>
      </div>
      {error !== undefined && <Failed error={error} onAgain={() => void alerts.load()} />}
      {value.notices.map((one) => (
        <p key={one} class="note warn notice" dir="auto">
          <Icon name="warn" />
          <span>{one}</span>
        </p>
      ))}
      <div class={`alert-g ${id === undefined ? 'none' : 'one'}`}>
        <AlertList alerts={value.alerts} id={id} />
        <div class="alert-one stack">
          {id !== undefined && (
            <a class="btn quiet sm only-list" href={addressOf('/app/alerts')}>
              {texts.back}
            </a>
          )}
          <Chosen id={id} alerts={value.alerts} about={about} />
        </div>
      </div>
    </>
  )
}

function sumsOf({ alerts: all }: Alerts): string {
  const raised = all.filter(({ problems }) => problems.length > 0).length
  const off = all.filter(({ problems, isActive }) => problems.length === 0 && !isActive).length
  return alertTexts.value.sums(raised, all.length - raised - off, off)
}

function AlertList({ alerts: all, id }: { alerts: readonly Listed[]; id: string | undefined }) {
  const texts = alertTexts.value
  if (all.length === 0)
    return (
      <div class="panel">
        <Empty title={texts.emptyTitle}>
          <p class="dim">{texts.empty}</p>
        </Empty>
      </div>
    )
  return (
    <nav class="panel alist" aria-label={texts.list}>
      <ul>
        {all.slice(0, 150).map((one) => (
          <li key={one.id}>
            <a
              href={addressOf(`/app/alerts/${one.id}`)}
              aria-current={String(one.id) === id ? 'page' : undefined}
            >
              <StateIcon alert={one} />
              <b dir="auto">{one.name.slice(0, 300)}</b>
              <small>{stateText(one)}</small>
              <small>
                {one.lastSend === null
                  ? texts.neverReported
                  : texts.reported(shownMoment(new Date(one.lastSend)))}
              </small>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function StateIcon({ alert: { problems, isActive, severity } }: { alert: Listed }) {
  if (problems.length > 0) return <Icon name={severity === 'warning' ? 'warn' : 'bad'} class="bad" />
  return isActive ? <Icon name="ok" class="ok" /> : <Icon name="silence" />
}

function stateText({ problems, isActive, failingSince, severity }: Listed): string {
  const texts = alertTexts.value
  if (problems.length === 0) return isActive ? texts.quiet : texts.off
  const reported =
    failingSince === null ? texts.raised : texts.raisedSince(shownMoment(new Date(failingSince)))
  return `${reported}, ${texts.severities[severity] ?? severity}`
}

function Chosen({
  id,
  alerts: all,
  about,
}: {
  id: string | undefined
  alerts: readonly Listed[]
  about: AlertSubjects
}) {
  const texts = alertTexts.value
  if (id === undefined)
    return (
      <div class="panel">
        <p class="body dim">{texts.choose}</p>
      </div>
    )
  if (id === 'new') return isStaff.value ? <NewAlert known={about} /> : <p class="dim">{texts.forStaff}</p>
  const alert = all.find((one) => String(one.id) === id)
  return (
    <>
      {alert !== undefined && <Problems alert={alert} />}
      {isStaff.value ? (
        <AlertOne id={Number(id)} known={about} />
      ) : (
        <div class="panel">
          <div class="body">
            <h2 dir="auto">{alert?.name.slice(0, 500)}</h2>
            <p dir="auto">{alert?.description.slice(0, 2000)}</p>
            <p class="dim">{texts.forStaff}</p>
          </div>
        </div>
      )}
    </>
  )
}

function Problems({ alert: { problems } }: { alert: Listed }) {
  const texts = alertTexts.value
  if (problems.length === 0) return null
  return (
    <section class="note bad" aria-label={texts.problems}>
      <Icon name="bad" />
      <div>
        {problems.slice(0, 20).map(({ message, description }) => (
          <p key={message + description}>
            <b dir="auto">{message}</b>. <span dir="auto">{description}</span>
          </p>
        ))}
      </div>
    </section>
  )
}
