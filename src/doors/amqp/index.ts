export { type AmqpDoorOptions, createAmqpDoor } from './create-amqp-door.js';
