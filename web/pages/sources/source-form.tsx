import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Refused } from '../../components/states.tsx'
import { useActing } from '../../components/use-acting.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { DataFields } from './data-fields.tsx'
import { formBody } from './form-body.ts'
import { LimitFields, NotifyFields } from './limit-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { TargetFields } from './target-fields.tsx'
import { type Draft, textOf } from './types.ts'

interface SourceFormProps {
  draft: Draft
  /** True if the source exists; its password is stored. */
  isStored: boolean
  /** Label of the button. */
  act: string
  /** Returns the request for the settings in the form. */
  requested(settings: Record<string, unknown>, form: FormData): Call
  /** Sends the request; throws what the server refuses, which is shown in the form. */
  send(requested: Call, form: FormData): Promise<void>
  /** Fields before the data. */
  children?: ComponentChildren
  /** Fields beside the button. */
  beforeAct?: ComponentChildren
}

/** Form for the settings of a source. What was typed stays in it until the server has taken it. */
export function SourceForm(props: SourceFormProps) {
  const { draft, isStored, act, requested, send, children, beforeAct } = props
  const texts = sourceTexts.value.form
  const form = useRef<HTMLFormElement>(null)
  const type = useSignal(draft.data.type)
  const kind = useSignal(textOf(draft.data, 'kind') || 'ogcapi-features')
  const isChanged = useSignal(false)
  const acting = useActing()
  const read = (): FormData => new FormData(form.current ?? undefined)
  const submit = async (): Promise<void> => {
    const data = read()
    if (await acting.act(() => send(requested(formBody(data, draft), data), data))) isChanged.value = false
  }
  const isWatchable = type.value !== 'service' && type.value !== 'database'
  return (
    <form
      ref={form}
      class="panel source-form"
      aria-label={texts.settings}
      onInput={() => {
        isChanged.value = true
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      <Part title={texts.data}>
        <DataFields {...{ data: draft.data, type, kind, isStored }} />
      </Part>
      <Part title={texts.destination}>
        <TargetFields draft={draft} />
      </Part>
      <Part title={texts.when}>
        <ScheduleFields schedule={draft.schedule} isWatchable={isWatchable} />
      </Part>
      <Part title={texts.limits}>
        <LimitFields stopIf={draft.stopIf} />
      </Part>
      <Part title={texts.notify}>
        <NotifyFields draft={draft} />
      </Part>
      <div class="body" hidden={acting.error.value === undefined}>
        <Refused error={acting.error.value} />
      </div>
      <footer class="row wrap">
        <span class="grow">{isStored && isChanged.value && texts.unsaved}</span>
        {beforeAct}
        <CopyAsCurl call={() => withoutSecrets(requested(formBody(read(), draft), read()))} />
        <button type="submit" class={`btn main${acting.isBusy.value ? ' busy' : ''}`}>
          {acting.isBusy.value && <span class="spin" aria-hidden="true" />}
          {act}
        </button>
      </footer>
    </form>
  )
}

/** A titled group of fields. */
export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="part">
      <legend>{title}</legend>
      {children}
    </fieldset>
  )
}

/** Returns a call with a placeholder for each typed password. */
function withoutSecrets(call: Call): Call {
  const text = JSON.stringify(call, (name, value: unknown) =>
    (name === 'password' || name === 'passwd') && typeof value === 'string' ? 'PASSWORD' : value,
  )
  return JSON.parse(text) as Call
}
