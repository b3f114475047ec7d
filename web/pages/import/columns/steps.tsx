import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Call, call } from '../../../api/client.ts'
import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { say } from '../../../components/toasts.tsx'
import { columnsTexts } from '../../../messages/import/texts.ts'
import type { Task } from '../types.ts'
import { StepForm } from './step-form.tsx'
import { loadTransformTypes, type Step, type TransformType, transformTypes } from './transform-types.ts'

interface StepsProps {
  path: string
  task: Task
  reload(): Promise<void>
}

/** Position of the form: an edited step, or the end; with the server's error. */
interface Failing {
  place: number
  error: unknown
}

/** Transformations of the rows before loading, in order. */
export function Steps({ path, task, reload }: StepsProps) {
  const texts = columnsTexts.value
  const open = useSignal<number | undefined>(undefined)
  const failing = useSignal<Failing | undefined>(undefined)
  const list = useRef<HTMLOListElement>(null)
  useEffect(loadTransformTypes, [])
  const chain = task.transformChain ?? { type: 'vector', transforms: [] }
  const steps = chain.transforms
  const types = (transformTypes.value?.transforms ?? []).filter(({ kind }) => kind === chain.type)
  const fields = (task.layer?.attributes ?? []).map(({ name }) => name)

  const { put, move } = useChain({ path, chain, reload, open, failing, list })
  const form = (place: number, step: Step | undefined) => (
    <StepForm
      types={types}
      fields={fields}
      classes={transformTypes.value?.classes ?? []}
      step={step}
      onPut={(requested) => put(steps.toSpliced(place, step === undefined ? 0 : 1, requested), place)}
      onClose={() => {
        open.value = undefined
        failing.value = undefined
      }}
    />
  )
  return (
    <section class="panel steps-of" aria-label={texts.steps}>
      <header>
        <h2>{texts.steps}</h2>
        <CopyAsCurl call={() => chainCall(path, chain.type, steps)} />
        {types.length > 0 && (
          <button
            type="button"
            class="btn sm"
            aria-expanded={open.value === steps.length}
            onClick={() => {
              open.value = open.value === steps.length ? undefined : steps.length
              failing.value = undefined
            }}
          >
            <Icon name="plus" />
            {texts.addStep}
          </button>
        )}
      </header>
      {steps.length === 0 && open.value === undefined && <p class="body dim">{texts.noSteps}</p>}
      <ol ref={list}>
        {steps.map((step, place) => (
          <StepRow
            key={`${place}${JSON.stringify(step)}`}
            place={place}
            last={steps.length - 1}
            step={step}
            types={types}
            onMove={(by) => void move(place, by)}
            onEdit={() => {
              open.value = place
              failing.value = undefined
            }}
            onRemove={() => void put(steps.toSpliced(place, 1), place)}
          >
            {open.value === place && form(place, step)}
            <CommandOutput failing={failing.value} place={place} />
          </StepRow>
        ))}
      </ol>
      {open.value === steps.length && <div class="body">{form(steps.length, undefined)}</div>}
      <div class="said">
        <CommandOutput failing={failing.value} place={steps.length} />
      </div>
    </section>
  )
}

interface TransformChainProps {
  path: string
  chain: { type: string; transforms: readonly Step[] }
  reload(): Promise<void>
  open: Signal<number | undefined>
  failing: Signal<Failing | undefined>
  list: RefObject<HTMLOListElement | null>
}

/** Edits the chain, with the server's errors. */
function useChain({ path, chain, reload, open, failing, list }: TransformChainProps) {
  const texts = columnsTexts.value
  const steps = chain.transforms
  const isInFlight = useRef(false)
  /**
   * Replaces the whole chain: order and steps change together or not at all. Waits for the previous change,
   * on which the next one is based.
   */
  const put = async (next: readonly Step[], place: number): Promise<boolean> => {
    if (isInFlight.current) return false
    isInFlight.current = true
    failing.value = undefined
    try {
      await call(chainCall(path, chain.type, next))
      open.value = undefined
      return true
    } catch (error) {
      failing.value = { place, error }
      return false
    } finally {
      await reload()
      isInFlight.current = false
    }
  }
  const move = async (place: number, by: -1 | 1): Promise<void> => {
    const to = place + by
    const next = steps.with(place, steps[to] ?? {}).with(to, steps[place] ?? {})
    if (!(await put(next, place))) return
    say(texts.moved(texts.stepOf(String(steps[place]?.['type'])), to + 1))
    // The rows are in their new order at the next frame.
    requestAnimationFrame(() => focusMove(list.current, to, by))
  }
  return { put, move }
}

/** Keeps the keyboard focus on the button of a moved step. */
function focusMove(list: HTMLOListElement | null, place: number, by: -1 | 1): void {
  const buttons = [...(list?.querySelectorAll<HTMLButtonElement>(`li:nth-child(${place + 1}) button`) ?? [])]
  const same = buttons.find((one) => one.dataset['way'] === (by < 0 ? 'up' : 'down') && !one.disabled)
  const focused = same ?? buttons.find((one) => !one.disabled)
  focused?.focus()
}

function chainCall(path: string, type: string, steps: readonly Step[]): Call {
  const transforms = steps.map(({ href: _href, ...step }) => step)
  return { method: 'PUT', path, body: { task: { transformChain: { type, transforms } } } }
}

function CommandOutput({ failing, place }: { failing: Failing | undefined; place: number }) {
  if (failing?.place !== place) return null
  return (
    <p class="err" role="alert">
      <Icon name="bad" />
      <span dir="auto">{reasonOf(failing.error)}</span>
    </p>
  )
}

interface StepRowProps {
  place: number
  last: number
  step: Step
  types: readonly TransformType[]
  onMove(by: -1 | 1): void
  onEdit(): void
  onRemove(): void
  children: ComponentChildren
}

function StepRow({ place, last, step, types, onMove, onEdit, onRemove, children }: StepRowProps) {
  const texts = columnsTexts.value
  const type = String(step['type'])
  const name = texts.stepOf(type)
  const known = types.find((one) => one.type === type)?.parameters.map((one) => one.name)
  const reported = Object.entries(step).filter(
    ([key, value]) =>
      value !== null && value !== false && (known?.includes(key) ?? !['type', 'href'].includes(key)),
  )
  return (
    <li>
      <span class="no">{place + 1}</span>
      <div class="what">
        <b>{name}</b>
        <span class="dim" dir="auto">
          {reported.map(([key, value]) => `${texts.parameter(key)}: ${textOf(value)}`).join(' · ')}
        </span>
        {children}
      </div>
      <div class="acts">
        <StepAct
          icon="down"
          turned={true}
          label={texts.up(name)}
          way="up"
          isOff={place === 0}
          onClick={() => onMove(-1)}
        />
        <StepAct
          icon="down"
          label={texts.down(name)}
          way="down"
          isOff={place === last}
          onClick={() => onMove(1)}
        />
        <StepAct icon="pencil" label={texts.edit(name)} onClick={onEdit} />
        <StepAct icon="x" label={texts.removeStep(name)} onClick={onRemove} />
      </div>
    </li>
  )
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : String(value)
}

interface StepActProps {
  icon: string
  label: string
  turned?: boolean
  way?: 'up' | 'down'
  isOff?: boolean
  onClick(): void
}

function StepAct({ icon, label, turned = false, way, isOff = false, onClick }: StepActProps) {
  return (
    <button
      type="button"
      class="btn quiet ic sm"
      aria-label={label}
      title={label}
      data-way={way}
      disabled={isOff}
      onClick={onClick}
    >
      <Icon name={icon} class={turned ? 'turned' : ''} />
    </button>
  )
}
