import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading, reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { Resource } from '../../lib/resource.ts'
import { goTo } from '../../lib/router.ts'
import { alertTexts } from '../../messages/alerts/texts.ts'
import { raised } from '../../session/raised.ts'
import { AlertChart } from './alert-chart.tsx'
import { AlertHistory } from './alert-history.tsx'
import type { Clause } from './alert-sentence.tsx'
import { AlertSentence } from './alert-sentence.tsx'
import { AlertSettings } from './alert-settings.tsx'
import type { AlertSubjects } from './alert-subjects.ts'
import { metricTitle, servicesOf, usedLayers } from './alert-subjects.ts'
import type { Draft } from './draft.ts'
import { bodyOf, draftOf, emptyField } from './draft.ts'
import { TestMessage } from './test-message.tsx'
import type { Configuration, Field } from './types.ts'
import { alerts, configPath } from './types.ts'

/** An alert that staff changes. */
export function AlertOne({ id, known }: { id: number; known: AlertSubjects }) {
  const answer = useMemo(
    () =>
      new Resource<Configuration>(
        async (signal) => (await call<{ data: Configuration }>({ path: configPath(id) }, signal)).data,
      ),
    [id],
  )
  useEffect(() => {
    void answer.load()
    return () => answer.stop()
  }, [answer])
  const { value, error } = answer.state.value
  if (error !== undefined) return <Failed error={error} onAgain={() => void answer.load()} />
  if (value === undefined) return <Loading />
  return (
    <AlertForm
      key={value.notification.id}
      {...{ id, known, saved: value }}
      onSaved={() => void answer.load()}
    />
  )
}

interface FormProps {
  id: number
  known: AlertSubjects
  saved: Configuration
  onSaved(): void
}

function AlertForm({ id, known, saved, onSaved }: FormProps) {
  const texts = alertTexts.value
  const first = useMemo(() => draftOf(saved, (one) => known.resources.get(one) ?? String(one)), [saved])
  const resources = useMemo(() => usedLayers(known), [known])
  const draft = useSignal<Draft>(first)
  const change = (next: Draft): void => {
    draft.value = next
  }
  const requested = (): Call => ({
    method: 'POST',
    path: configPath(id),
    body: bodyOf(draft.value, saved.fields),
  })
  const { save, error, secrets, isBusy } = useSaving(requested, onSaved)
  const clauses = saved.fields.map(clauseOf)
  const isChanged = JSON.stringify(draft.value) !== JSON.stringify(first)
  const { name, description } = saved.notification
  return (
    <>
      <form
        class="panel"
        aria-label={name.slice(0, 200)}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <header>
          <h2 dir="auto">{name.slice(0, 500)}</h2>
          <Remove id={id} name={name} />
        </header>
        <div class="body">
          <p class="dim small" dir="auto">
            {description.slice(0, 2000)}
          </p>
          <AlertSentence
            {...{ draft: draft.value, clauses, onChange: change }}
            services={servicesOf(known, saved.fields[0]?.metric.name ?? '')}
            resources={resources}
          />
          <AlertSettings draft={draft.value} onChange={change} />
          {error !== undefined && (
            <p class="err" role="alert">
              <Icon name="bad" />
              <span dir="auto">{reasonOf(error)}</span>
            </p>
          )}
          <Secrets secrets={secrets} />
        </div>
        <footer class="row wrap">
          <span class="grow">{isChanged && texts.changed}</span>
          <CopyAsCurl call={requested} />
          <TestMessage id={id} />
          <button type="submit" class="btn main" disabled={isBusy || !isChanged}>
            {texts.save}
          </button>
        </footer>
      </form>
      <Charts {...{ saved, clauses, draft: draft.value, onChange: change }} />
      <AlertHistory id={id} />
    </>
  )
}

/** Saves the check; shows an error, or generated secrets. */
function useSaving(requested: () => Call, onSaved: () => void) {
  const error = useSignal<unknown>(undefined)
  const secrets = useSignal<Record<string, string>>({})
  const isBusy = useSignal(false)
  const save = async (): Promise<void> => {
    isBusy.value = true
    error.value = undefined
    try {
      const reply = await call<{ data: { webhook_secrets?: Record<string, string> } }>(requested())
      secrets.value = reply.data.webhook_secrets ?? {}
      say(alertTexts.value.saved)
      onSaved()
      void alerts.load()
      void raised.load()
    } catch (refusal) {
      error.value = refusal
    }
    isBusy.value = false
  }
  return { save, error: error.value, secrets: secrets.value, isBusy: isBusy.value }
}

interface ChartsProps {
  saved: Configuration
  draft: Draft
  clauses: readonly Clause[]
  onChange(draft: Draft): void
}

/** A chart for each comparison that has a line; those without a value are not compared. */
function Charts({ saved, draft, clauses, onChange }: ChartsProps) {
  const comparable = saved.fields.filter(({ field_option: option }) => option !== 'max_timeout')
  const used = comparable.filter(({ field_name: name }) => (draft.fields[name]?.value ?? '') !== '')
  const shown = used.length > 0 ? used : comparable.slice(0, 1)
  return shown.map(({ field_name: name, metric }) => {
    const clause = clauses.find((one) => one.field_name === name)
    const field = draft.fields[name] ?? emptyField
    return (
      clause && (
        <AlertChart
          key={name}
          {...{ clause, field, metric: metric.name, windowMinutes: draft.windowMinutes }}
          onMove={(value) => onChange({ ...draft, fields: { ...draft.fields, [name]: { ...field, value } } })}
        />
      )
    )
  })
}

function clauseOf(field: Field): Clause {
  return {
    field_name: field.field_name,
    use_service: field.use_service,
    use_resource: field.use_resource,
    use_label: field.use_label,
    title: metricTitle(field.metric.name),
    option: field.field_option,
    unit: field.unit,
    choices: field.steps_calculated,
    least: field.min_value,
    most: field.max_value,
  }
}

function Secrets({ secrets }: { secrets: Record<string, string> }) {
  const found = Object.entries(secrets)
  if (found.length === 0) return null
  return (
    <div class="note ok" role="status">
      <div>
        <p>{alertTexts.value.secrets}</p>
        {found.map(([address, secret]) => (
          <p key={address} class="mono cell-wrap">
            {address}: {secret}
          </p>
        ))}
      </div>
    </div>
  )
}

function Remove({ id, name }: { id: number; name: string }) {
  const texts = alertTexts.value
  const isRequested = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const requested: Call = { method: 'DELETE', path: configPath(id) }
  const remove = async (): Promise<void> => {
    try {
      await call(requested)
      say(texts.removed)
      goTo('/app/alerts', { isReplaced: true })
      void alerts.load()
      void raised.load()
    } catch (refusal) {
      error.value = refusal
    }
  }
  const ask = (is: boolean) => () => {
    isRequested.value = is
    error.value = undefined
  }
  return (
    <>
      <button type="button" class="btn quiet sm" onClick={ask(true)}>
        <Icon name="trash" />
        {texts.remove}
      </button>
      {isRequested.value && (
        <Dialog title={texts.removeTitle(name.slice(0, 200))} onClose={ask(false)}>
          <p>{texts.removeText}</p>
          {error.value !== undefined && (
            <p class="err" role="alert">
              <span dir="auto">{reasonOf(error.value)}</span>
            </p>
          )}
          <p class="row wrap dialog-acts">
            <CopyAsCurl call={requested} />
            <button type="button" class="btn" onClick={ask(false)}>
              {texts.keep}
            </button>
            <button type="button" class="btn danger" onClick={() => void remove()}>
              {texts.remove}
            </button>
          </p>
        </Dialog>
      )}
    </>
  )
}
