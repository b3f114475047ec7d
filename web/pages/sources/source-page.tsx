import { useMemo } from 'preact/hooks'
import { type Call, call, Refusal } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { Empty, Failed, Loading, Refused, reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { useTitle } from '../import/progress/use-title.ts'
import { problemText } from './problem-text.ts'
import { RemoveSource } from './remove-source.tsx'
import { RunButton } from './run-button.tsx'
import { RunHistory } from './run-history.tsx'
import { SourceForm } from './source-form.tsx'
import { dataText, scheduleText } from './source-words.ts'
import { Crumb, Layers } from './sources.tsx'
import { StateMark } from './state-mark.tsx'
import { StoppedRun } from './stopped-run.tsx'
import { type Source, shownState, sourcePath } from './types.ts'
import { isMovingState, useRefreshed } from './use-refreshed.ts'

/** `/app/sources/<name>`: a source with its state, settings and history. */
export function SourcePage({ source: name = '' }: Record<string, string>) {
  const found = useMemo(
    () =>
      new Resource<Source>(
        async (signal) => (await call<{ source: Source }>({ path: sourcePath(name) }, signal)).source,
      ),
    [name],
  )
  const { value, error } = found.state.value
  useRefreshed(found, value !== undefined && isMovingState(value.state))
  useTitle(name)
  if (value === undefined) {
    if (error === undefined) return <Loading />
    if (!(error instanceof Refusal) || error.status !== 404)
      return <Failed error={error} onAgain={() => void found.load()} />
    return (
      <Empty title={reasonOf(error)}>
        <h1 class="vh">{name}</h1>
        <a class="btn" href={addressOf('/app/sources')}>
          {sourceTexts.value.title}
        </a>
      </Empty>
    )
  }
  return <Known source={value} error={error} found={found} />
}

interface KnownProps {
  source: Source
  error: unknown
  found: Resource<Source>
}

function Known({ source, error, found }: KnownProps) {
  const texts = sourceTexts.value
  const { name } = source
  const reload = (): void => void found.load()
  const problem = problemText(source)
  return (
    <div class="manage source-page">
      <Head source={source} reload={reload} />
      <div class="stack">
        {error !== undefined && <Failed error={error} onAgain={reload} />}
        {problem !== undefined && source.state !== 'stopped' && (
          <div class={`note ${source.state === 'overdue' ? 'warn' : 'bad'}`}>
            <Icon name={source.state === 'overdue' ? 'warn' : 'bad'} />
            <div dir="auto">{problem}</div>
          </div>
        )}
        <StoppedRun source={source} reload={reload} />
        <Overview source={source} />
        <RunHistory name={name} last={source.lastRun} />
        <SourceForm
          draft={source}
          isStored
          act={texts.form.save}
          requested={(settings) => ({ method: 'PUT', path: sourcePath(name), body: { source: settings } })}
          send={async (requested) => {
            await call(requested)
            say(texts.form.saved(name))
            await found.load()
          }}
          beforeAct={<RemoveSource name={name} />}
        />
      </div>
    </div>
  )
}

function Head({ source, reload }: { source: Source; reload(): void }) {
  const texts = sourceTexts.value
  const { name, enabled } = source
  const { act, error, isBusy } = useActing()
  const pause: Call = { method: 'PUT', path: sourcePath(name), body: { source: { enabled: !enabled } } }
  const toggle = async (): Promise<void> => {
    if (!(await act(() => call(pause)))) return
    say(enabled ? texts.isPaused(name) : texts.isResumed(name))
    reload()
  }
  return (
    <div class="head">
      <div>
        <Crumb name={name} />
        <h1 class="title" dir="auto">
          {name}
        </h1>
        <p role="status">
          <StateMark state={shownState(source)} />
        </p>
        <Refused error={error.value} />
      </div>
      <div class="acts">
        <CopyAsCurl call={{ path: sourcePath(name) }} />
        <button type="button" class="btn" disabled={isBusy.value} onClick={() => void toggle()}>
          <Icon name={enabled ? 'pause' : 'play'} />
          {enabled ? texts.pause : texts.resume}
        </button>
        <RunButton name={name} text={texts.runNow} class="btn main" onStarted={reload} />
      </div>
    </div>
  )
}

function Overview({ source }: { source: Source }) {
  const texts = sourceTexts.value
  const { data, schedule, nextRun, lastSuccess, owner, receivers } = source
  const moment = (text: string | null): string => (text === null ? '–' : shownMoment(new Date(text)))
  const facts = [
    [texts.from, <span dir="auto">{`${texts.data[dataType(data.type)]}: ${dataText(data)}`}</span>],
    [texts.to, <Layers {...source} />],
    [texts.form.mode, texts.form.modes[source.updateMode]],
    [texts.schedule, scheduleText(schedule)],
    [texts.nextRun, moment(nextRun)],
    [texts.lastSuccess, lastSuccess === null ? texts.never : moment(lastSuccess)],
    [texts.receiversAre, receivers.length === 0 ? texts.nobody : receivers.join(', ')],
    [texts.ownerIs, owner],
  ] as const
  return (
    <section class="panel" aria-label={texts.about}>
      <header>
        <h2>{texts.about}</h2>
      </header>
      <dl class="kv body">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function dataType(type: string): keyof ReturnType<typeof typeNames> {
  const names = typeNames()
  return type in names ? (type as keyof typeof names) : 'file'
}

function typeNames() {
  return sourceTexts.value.data
}
