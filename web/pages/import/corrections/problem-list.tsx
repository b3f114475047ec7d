import { useSignal } from '@preact/signals'
import type { Call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Icon } from '../../../components/icon.tsx'
import { setQuery } from '../../../lib/router.ts'
import { togetherTexts } from '../../../messages/import/texts.ts'
import { nameOf } from '../batch/views.ts'
import { type Task, taskPath } from '../types.ts'
import { ChooseCrs, ChooseKey, ChooseRejectLimit } from './problem-choices.tsx'
import { type Problem, pointsIn } from './problems.ts'
import { type CorrectionContext, changesOf, type ProblemProps, SendAll } from './send-all.tsx'
import type { Change } from './sent-changes.ts'

/** Layers by problem, with corrections for all of them at once. */
export function ProblemList({
  problems,
  ...correcting
}: CorrectionContext & { problems: readonly Problem[] }) {
  const texts = togetherTexts.value
  return (
    <section class="panel" aria-label={texts.problems}>
      <header>
        <h3 class="full">{texts.problems}</h3>
      </header>
      {problems.length === 0 && (
        <p class="body st ok">
          <Icon name="ok" />
          {texts.noProblems}
        </p>
      )}
      <ul class="problems">
        {problems.map((one) => (
          <li key={one.key}>
            <OneProblem problem={one} {...correcting} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const maxNamed = 3
const maxMessages = 600

function OneProblem(props: ProblemProps) {
  const texts = togetherTexts.value
  const { tasks, kind, key, reason: output } = props.problem
  const names = tasks.slice(0, maxNamed).map(nameOf)
  const isBad = !(kind === 'points' || kind === 'crs' || kind === 'keys')
  return (
    <>
      <h4 class={`st ${isBad ? 'bad' : 'warn'}`}>
        <Icon name={isBad ? 'bad' : 'warn'} />
        {texts.problem[kind](tasks.length)}
      </h4>
      <p class="dim">
        <bdi>{texts.forExample(names.join(', '), tasks.length - names.length)}</bdi>{' '}
        <button
          type="button"
          class="btn quiet sm"
          onClick={() =>
            setQuery(
              { why: key, show: undefined, q: undefined, task: String(tasks[0]?.id) },
              { isReplaced: false },
            )
          }
        >
          {texts.showThem}
        </button>
      </p>
      {output !== undefined && kind !== 'crs' && kind !== 'points' && (
        <p class="said" dir="auto">
          {output.slice(0, maxMessages)}
        </p>
      )}
      <Act {...props} />
    </>
  )
}

function Act(props: ProblemProps) {
  const texts = togetherTexts.value
  const { problem, importId } = props
  const { kind, tasks } = problem
  if (kind === 'crs') return <ChooseCrs {...props} />
  if (kind === 'keys') return <ChooseKey {...props} />
  if (kind === 'rejected') return <ChooseRejectLimit {...props} />
  if (kind === 'points')
    return (
      <SendAll
        {...props}
        label={texts.takePoints(tasks.length)}
        changes={changesOf(importId, tasks, takenPoints)}
      />
    )
  if (kind === 'stopped')
    return (
      <SendAll
        {...props}
        label={texts.letThrough(tasks.length)}
        isGrave={true}
        changes={tasks.map((task) => ({ name: nameOf(task), call: acceptCall(importId, task) }))}
      />
    )
  return (
    <p class="row wrap">
      {kind !== 'unread' && (
        <button type="button" class="btn main" disabled={props.isBusy} onClick={props.run}>
          <Icon name="refresh" />
          {texts.runAgain}
        </button>
      )}
      <LeaveOut {...props} />
    </p>
  )
}

function takenPoints(task: Task): object {
  const { transform, srs } = pointsIn(task) ?? {}
  return {
    layer: srs === undefined ? undefined : { srs },
    transformChain: { type: 'vector', transforms: transform === undefined ? [] : [transform] },
  }
}

function acceptCall(importId: number, { id, stopped = [] }: Task): Call {
  const path = `${taskPath(String(importId), id)}/accept`
  return { method: 'POST', path, body: { stopped: stopped.map(({ rule }) => rule) } }
}

function LeaveOut({ problem: { tasks }, importId, isBusy, send }: ProblemProps) {
  const texts = togetherTexts.value
  const isAsking = useSignal(false)
  const changes = tasks.map(
    (task): Change => ({
      name: nameOf(task),
      call: { method: 'DELETE', path: taskPath(String(importId), task.id) },
    }),
  )
  const close = (): void => {
    isAsking.value = false
  }
  return (
    <>
      <button
        type="button"
        class="btn"
        disabled={isBusy}
        onClick={() => {
          isAsking.value = true
        }}
      >
        <Icon name="trash" />
        {texts.leaveOut}
      </button>
      {isAsking.value && (
        <Dialog title={texts.leaveOutTitle(tasks.length)} onClose={close}>
          <div class="stack">
            <p>{texts.leaveOutHint}</p>
            <div class="row wrap">
              <CopyAsCurl call={() => changes.map((one) => one.call)} />
              <button
                type="button"
                class="btn danger"
                onClick={() => {
                  close()
                  send(changes)
                }}
              >
                <Icon name="trash" />
                {texts.leaveOut}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}
