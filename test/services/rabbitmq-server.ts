/** One RabbitMQ of our own that a test may stop, kill and start again on the same port. */
export interface RabbitServer {
  /** Its virtual host `/`, as the administrator. */
  url: string;
  /** Its name in a cluster, such as `postrider-20817@localhost`. */
  node: string;
  /** Where it came from, for people. */
  origin: string;
  /** How its `rabbitmqctl` is run, also from another process. */
  control: RabbitControl;
  /** Starts it again; returns when it takes connections. Nothing happens when it runs. */
  start(): Promise<void>;
  /** An orderly stop. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

export interface RabbitControl {
  command: string[];
  env: Record<string, string>;
  /** How `erl_call` is run for it, where there is one. */
  erlCall?: { command: string[]; env: Record<string, string> };
}

export const RABBIT_LOGIN = 'guest';
