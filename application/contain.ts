/**
 * A callback of an emitter or a timer. Nobody waits for its end, so what it throws, at once or
 * later, goes to `failed`: thrown further, it would end the process.
 */
export const contain =
  <Arguments extends readonly unknown[]>(
    act: (...args: Arguments) => unknown,
    failed: (error: unknown) => void,
  ) =>
  (...args: Arguments): void => {
    try {
      const done = act(...args)
      if (done instanceof Promise) done.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
