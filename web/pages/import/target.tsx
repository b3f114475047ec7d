import { importTexts } from '../../messages/import/texts.ts'
import type { Call } from '../../wire/client.ts'
import type { Task } from './wire.ts'

interface TargetProps {
  path: string
  task: Task
  put(call: Call): Promise<void>
}

const modes = ['CREATE', 'REPLACE', 'APPEND', 'UPSERT'] as const

/** What becomes of a task: its layer's name, and what happens where that is there already. */
export function Target({ path, task, put }: TargetProps) {
  const texts = importTexts.value
  const rename = (name: string): Call => ({ method: 'PUT', path, body: { task: { layer: { name } } } })
  const change = (updateMode: string): Call => ({ method: 'PUT', path, body: { task: { updateMode } } })
  return (
    <section class="panel" aria-label={texts.target}>
      <header>
        <h2>{texts.target}</h2>
      </header>
      <div class="body stack">
        <label class="field">
          <span class="lbl">{texts.layerName}</span>
          <input
            class="in"
            dir="auto"
            defaultValue={task.layer?.name}
            onChange={(event) => void put(rename(event.currentTarget.value))}
          />
        </label>
        <label class="field">
          <span class="lbl">{texts.mode}</span>
          <select
            class="in"
            value={task.updateMode}
            onChange={(event) => void put(change(event.currentTarget.value))}
          >
            {modes.map((mode) => (
              <option key={mode} value={mode}>
                {texts.modes[mode]}
              </option>
            ))}
          </select>
          <p class="hint">{texts.modeHints[modeOf(task.updateMode)]}</p>
        </label>
        {task.layer?.srs !== undefined && (
          <p class="dim">
            {texts.crs} <span class="mono">{task.layer.srs}</span>
          </p>
        )}
      </div>
    </section>
  )
}

function modeOf(text: string): (typeof modes)[number] {
  return modes.find((one) => one === text) ?? 'CREATE'
}
