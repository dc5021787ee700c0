import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = new URL('..', import.meta.url).pathname

/** A command on a page, and its output according to the page. */
type Step = { readonly command: string; readonly answer: string }

/** The commands between two marks of a page, in order. */
export const stepsOf = (page: string, mark: string): Step[] => {
  const text = readFileSync(join(root, page), 'utf8')
  const [, told = ''] = new RegExp(`<!-- ${mark} -->(.*)<!-- /${mark} -->`, 's').exec(text) ?? []
  return [...told.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...answer] = part.trimEnd().split('\n')
        return { command, answer: answer.join('\n').trim() }
      }),
  )
}

/** Runs the commands in one shell and returns the output of each. */
export const runAll = async (
  commands: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string[]> => {
  const end = '=== end of an answer ==='
  const shell = spawn('bash', ['-s'], { ...where, stdio: ['pipe', 'pipe', 'inherit'] })
  shell.stdin.end(commands.map((command) => `${command}\necho; echo '${end}'\n`).join(''))
  let printed = ''
  for await (const chunk of shell.stdout) printed += String(chunk)
  return printed.split(end).slice(0, -1)
}
