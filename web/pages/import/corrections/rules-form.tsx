import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Icon } from '../../../components/icon.tsx'
import { importTexts, togetherTexts } from '../../../messages/import/texts.ts'
import { useStores, useStyles, useWorkspaces } from '../review/whats-there.ts'
import { storeOf, type Task } from '../types.ts'
import { type NameRule, nameFaults, newName } from './new-names.ts'
import { changesByRules, noRules, type Rules } from './rules.ts'
import { type CorrectionContext, SendAll } from './send-all.tsx'

const modes = ['CREATE', 'REPLACE', 'APPEND', 'UPSERT'] as const

interface RulesFormProps extends CorrectionContext {
  /** For which it is chosen. */
  tasks: readonly Task[]
}

/** Choices for many layers at once. */
export function RulesForm({ tasks, ...correcting }: RulesFormProps) {
  const texts = togetherTexts.value
  const rules = useSignal<Rules>(noRules)
  const put = (change: Partial<Rules>): void => {
    rules.value = { ...rules.value, ...change }
  }
  const changes = changesByRules(correcting.importId, tasks, rules.value)
  return (
    <section class="panel" aria-label={texts.rules(tasks.length)}>
      <header>
        <h3 class="full">{texts.rules(tasks.length)}</h3>
      </header>
      <div class="body stack">
        <p class="dim">{texts.rulesHint}</p>
        <div class="rules">
          <Places tasks={tasks} rules={rules.value} put={put} />
          <Names tasks={tasks} rule={rules.value.names} put={(names) => put({ names })} />
          <RuleLimits rules={rules.value} put={put} />
        </div>
      </div>
      <footer class="row wrap">
        <p class="grow" role="status">
          {changes.length === 0 && texts.nothingChosen}
        </p>
        <SendAll
          {...correcting}
          label={texts.apply(tasks.length)}
          changes={changes}
          send={(sent) => {
            correcting.send(sent)
            rules.value = noRules
          }}
        />
      </footer>
    </section>
  )
}

interface PartProps {
  rules: Rules
  put(change: Partial<Rules>): void
}

/** Target, update mode, CRS and style. */
function Places({ tasks, rules, put }: PartProps & { tasks: readonly Task[] }) {
  const texts = togetherTexts.value
  const own = tasks.map(storeOf).find((store) => store !== undefined)
  const workspace = rules.workspace || own?.workspace
  const workspaces = useWorkspaces()
  const stores = useStores(workspace, 'dataStore')
  const styles = useStyles(workspace)
  const lacking = tasks.some(({ state }) => state === 'NO_CRS')
  return (
    <div class="stack s2">
      <Choice
        label={texts.workspace}
        value={rules.workspace}
        options={workspaces}
        onChange={(name) => put({ workspace: name, store: '', style: '' })}
      />
      <Choice label={texts.store} value={rules.store} options={stores} onChange={(store) => put({ store })} />
      <Choice
        label={texts.mode}
        value={rules.mode}
        options={modes}
        nameOf={(mode) => importTexts.value.modes[modes.find((one) => one === mode) ?? 'CREATE']}
        onChange={(mode) => put({ mode })}
      />
      <Choice label={texts.style} value={rules.style} options={styles} onChange={(style) => put({ style })} />
      {lacking && (
        <Text label={texts.crs} placeholder="EPSG:25832" value={rules.crs} onChange={(crs) => put({ crs })} />
      )}
    </div>
  )
}

const maxShown = 3

function Names({ tasks, rule, put }: { tasks: readonly Task[]; rule: NameRule; put(rule: NameRule): void }) {
  const texts = togetherTexts.value
  const before = tasks.flatMap(({ layer }) => (layer === undefined ? [] : [layer.name]))
  const after = before.map((name) => newName(name, rule))
  const { twice, hasEmpty } = nameFaults(after)
  const others = before.flatMap((name, index) => {
    const made = after[index] ?? ''
    return made === name ? [] : [{ name, made }]
  })
  return (
    <fieldset class="plain stack s2">
      <legend class="lbl">{texts.names}</legend>
      <div class="pair">
        <Text label={texts.find} value={rule.find} onChange={(find) => put({ ...rule, find })} />
        <Text label={texts.replace} value={rule.replace} onChange={(replace) => put({ ...rule, replace })} />
        <Text label={texts.prefix} value={rule.prefix} onChange={(prefix) => put({ ...rule, prefix })} />
        <Text label={texts.suffix} value={rule.suffix} onChange={(suffix) => put({ ...rule, suffix })} />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={rule.isLowerCase}
          onChange={({ currentTarget }) => put({ ...rule, isLowerCase: currentTarget.checked })}
        />
        {texts.lowerCase}
      </label>
      {others.length > 0 && (
        <ul class="renamed mono">
          {others.slice(0, maxShown).map(({ name, made }) => (
            <li key={name} dir="auto">
              {texts.becomes(name, made)}
            </li>
          ))}
          {others.length > maxShown && <li>…</li>}
        </ul>
      )}
      {others.length > 0 && twice[0] !== undefined && <Warning text={texts.twice(twice.length, twice[0])} />}
      {hasEmpty && <Warning text={texts.emptyName} />}
    </fieldset>
  )
}

function Warning({ text }: { text: string }) {
  return (
    <p class="warnline" role="status">
      <Icon name="warn" /> <span dir="auto">{text}</span>
    </p>
  )
}

function RuleLimits({ rules, put }: PartProps) {
  const texts = togetherTexts.value
  return (
    <fieldset class="plain stack s2">
      <legend class="lbl">{texts.limits}</legend>
      <Text label={texts.mostRejected} value={rules.rejected} onChange={(rejected) => put({ rejected })} />
      <Text
        label={texts.mostRemoved}
        inputMode="decimal"
        value={rules.removed}
        onChange={(removed) => put({ removed })}
      />
      <Text
        label={texts.mostChanged}
        inputMode="decimal"
        value={rules.changed}
        onChange={(changed) => put({ changed })}
      />
      <Text
        label={texts.fewest}
        inputMode="numeric"
        value={rules.fewer}
        onChange={(fewer) => put({ fewer })}
      />
    </fieldset>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly string[]
  nameOf?(option: string): string
  onChange(value: string): void
}

function Choice({ label, value, options, nameOf = (option) => option, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        class="in"
        id={id}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">{togetherTexts.value.asItIs}</option>
        {options.map((one) => (
          <option key={one} value={one}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </div>
  )
}

interface TextProps {
  label: string
  value: string
  placeholder?: string
  inputMode?: 'decimal' | 'numeric' | 'text'
  onChange(value: string): void
}

function Text({ label, value, placeholder = '', inputMode = 'text', onChange }: TextProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="in"
        id={id}
        dir="auto"
        maxLength={100}
        inputMode={inputMode}
        placeholder={placeholder}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}
