import { useSignal } from '@preact/signals'
import { useId, useMemo } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { goTo, query } from '../../lib/router.ts'
import { alertTexts } from '../../messages/alerts/texts.ts'
import { raised } from '../../session/raised.ts'
import { AlertChart } from './alert-chart.tsx'
import type { Clause } from './alert-sentence.tsx'
import { AlertSentence } from './alert-sentence.tsx'
import { AlertSettings } from './alert-settings.tsx'
import type { AlertSubjects } from './alert-subjects.ts'
import { metricTitle, servicesOf, usedLayers } from './alert-subjects.ts'
import type { Draft } from './draft.ts'
import { bodyOf, emptyDraft, emptyField } from './draft.ts'
import type { Option } from './types.ts'
import { alerts, configPath, options } from './types.ts'

/** `/app/alerts/new`: a new alert for one metric; `?metric=` selects it. */
export function NewAlert({ known }: { known: AlertSubjects }) {
  const texts = alertTexts.value
  const requested = query.value.get('metric')
  const metric = useSignal(
    known.metrics.find(({ name }) => name === requested)?.name ?? 'response.error.count',
  )
  const option = useSignal<Option>('max_value')
  const name = useSignal('')
  const description = useSignal('')
  const draft = useSignal<Draft>(emptyDraft)
  const resources = useMemo(() => usedLayers(known), [known])
  const { create, error, isBusy } = useCreation()
  const clause = clauseOf(known, metric.value, option.value)
  const change = (next: Draft): void => {
    draft.value = next
  }
  const field = draft.value.fields[clause.field_name] ?? emptyField
  return (
    <>
      <form
        class="panel"
        aria-label={texts.newAlert}
        onSubmit={(event) => {
          event.preventDefault()
          const about = { name: name.value, description: description.value, metric: metric.value }
          void create({ ...about, clause, draft: draft.value })
        }}
      >
        <header>
          <h2>{texts.newAlert}</h2>
        </header>
        <div class="body">
          <Names name={name} description={description} />
          <Choices known={known} metric={metric} option={option} />
          <AlertSentence
            {...{ draft: draft.value, clauses: [clause], onChange: change }}
            services={servicesOf(known, metric.value)}
            resources={resources}
          />
          <AlertSettings draft={draft.value} onChange={change} />
          {error !== undefined && (
            <p class="err" role="alert">
              <Icon name="bad" />
              <span dir="auto">{reasonOf(error)}</span>
            </p>
          )}
        </div>
        <footer class="row wrap">
          <span class="grow">{texts.changed}</span>
          <button type="submit" class="btn main" disabled={isBusy}>
            {texts.create}
          </button>
        </footer>
      </form>
      {option.value !== 'max_timeout' && (
        <AlertChart
          {...{ clause, field, metric: metric.value, windowMinutes: draft.value.windowMinutes }}
          onMove={(value) =>
            change({
              ...draft.value,
              fields: { ...draft.value.fields, [clause.field_name]: { ...field, value } },
            })
          }
        />
      )}
    </>
  )
}

/** Creates an alert and opens it, or shows the error. */
function useCreation() {
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const create = async (made: Made): Promise<void> => {
    isBusy.value = true
    error.value = undefined
    try {
      const id = await make(made)
      say(alertTexts.value.created)
      void alerts.load()
      void raised.load()
      goTo(`/app/alerts/${id}`, { isReplaced: true })
    } catch (refusal) {
      error.value = refusal
    }
    isBusy.value = false
  }
  return { create, error: error.value, isBusy: isBusy.value }
}

interface Text {
  value: string
}

function Names({ name, description }: { name: Text; description: Text }) {
  const texts = alertTexts.value
  const id = useId()
  return [
    { key: 'name', label: texts.name, text: name },
    { key: 'description', label: texts.description, text: description },
  ].map(({ key, label, text }) => (
    <div key={key} class="field">
      <label for={`${id}-${key}`}>{label}</label>
      <input
        class="in"
        id={`${id}-${key}`}
        required
        dir="auto"
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
      />
    </div>
  ))
}

interface ChoicesProps {
  known: AlertSubjects
  metric: Text
  option: { value: Option }
}

function Choices({ known, metric, option }: ChoicesProps) {
  const texts = alertTexts.value
  const id = useId()
  return (
    <div class="alert-more">
      <div class="field">
        <label for={`${id}-metric`}>{texts.metric}</label>
        <select
          class="in"
          id={`${id}-metric`}
          value={metric.value}
          onChange={({ currentTarget }) => {
            metric.value = currentTarget.value
          }}
        >
          {known.metrics.map(({ name }) => (
            <option key={name} value={name}>
              {metricTitle(name)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-option`}>{texts.comparison}</label>
        <select
          class="in"
          id={`${id}-option`}
          value={option.value}
          onChange={({ currentTarget }) => {
            option.value = options.find((one) => one === currentTarget.value) ?? 'max_value'
          }}
        >
          {options.map((one) => (
            <option key={one} value={one}>
              {texts.comparisons[one]}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

function clauseOf({ metrics }: AlertSubjects, metric: string, option: Option): Clause {
  const { unit = '', isOfHosts = false } = metrics.find(({ name }) => name === metric) ?? {}
  return {
    field_name: `${metric}.${option}`,
    title: metricTitle(metric),
    option,
    unit,
    use_service: true,
    use_resource: !isOfHosts,
    use_label: true,
    choices: null,
    least: null,
    most: null,
  }
}

interface Made {
  name: string
  description: string
  metric: string
  clause: Clause
  draft: Draft
}

/** Makes the alert, then gives it its threshold; where that is refused there is none. */
async function make({ name, description, metric, clause, draft }: Made): Promise<number> {
  const { comparisons } = alertTexts.value
  const words = `${clause.title} ${comparisons[clause.option]}`
  const { use_service: isByService, use_resource: isByResource, use_label: isByLabel } = clause
  const definition = [
    metric,
    clause.option,
    isByService,
    isByResource,
    isByLabel,
    false,
    null,
    null,
    null,
    words,
  ]
  const first: Call = {
    method: 'POST',
    path: '/monitoring/api/notifications',
    body: { name, description, user_thresholds: [definition] },
  }
  const { data } = await call<{ data: { id: number } }>(first)
  try {
    await call({ method: 'POST', path: configPath(data.id), body: bodyOf(draft, [clause]) })
  } catch (refusal) {
    await call({ method: 'DELETE', path: configPath(data.id) })
    throw refusal
  }
  return data.id
}
